/** Maps names from earlier versions to new ones, for error messages. */

/** New names by former name. A former name has several new names if they depend on the context. */
const successors: Readonly<Record<string, readonly string[]>> = {
  // Options
  bodyBytes: ['journalBodyBytes'],
  bytes: ['journalBytes'],
  entries: ['journalEntries'],
  idleMs: ['limits.sandboxIdleMs'],
  ignoreFields: ['replay.ignoreFields'],
  journal: ['limits'],
  limit: ['limits.sandboxes'],
  limitedEngine: ['search.limitedEngine'],
  maxBodyBytes: ['limits.requestBodyBytes'],
  onMiss: ['replay.onUnmatchedRecording'],
  onUnmatchedRecording: ['replay.onUnmatchedRecording'],
  size: ['recordCounts'],
  streamEvents: ['stream.events'],
  unhandledRequests: ['onUnhandledRequest'],
  volatile: ['mask', 'ignoreFields'],
  upstream: ['replay.upstream'],
  volatileFields: ['replay.ignoreFields'],
  '--on-miss': ['--on-unmatched-recording'],
  '--budget': ['--budget-usd'],
  '--volatile': ['--ignore-field'],
  // Values of options and flags
  double: ['simulate'],
  fail: ['error'],
  forward: ['passthrough'],
  gateway: ['guard'],
  pass: ['bypass'],
  // Fields of rules and journal entries, and their values
  afterwards: ['onEnd'],
  at: ['timestamp'],
  brokeContract: ['schemaViolation'],
  budget: ['budgetUsd'],
  'client-left': ['aborted-by-client'],
  cut: ['aborted-by-fault'],
  exhausted: ['onEnd'],
  quota: ['rateLimit'],
  silence: ['stall'],
  tape: ['recording'],
}

/** Notes on values that changed along with the name. */
const notes: Readonly<Record<string, string>> = {
  afterwards: ", and its 'last' is 'repeat-last'",
  quota: "; write rateLimit: { requests: 60, per: '1m' }",
}

/**
 * Returns `'size' is now 'recordCounts'` for a former name, otherwise undefined.
 *
 * @param words Valid names; for a name such as `limits.sandboxes`, the part before the dot. Default: any.
 */
export function renamed(name: unknown, words?: readonly string[]): string | undefined {
  if (name === 'window' && words?.includes('per'))
    return "'window' has been removed: rate limits use fixed windows"
  if (typeof name !== 'string' || !Object.hasOwn(successors, name)) return undefined
  const successor = successors[name]?.find((each) => words?.includes(each.replace(/\..*/, '')) ?? true)
  return successor && `'${name}' is now '${successor}'${notes[name] ?? ''}`
}
