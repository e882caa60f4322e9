/**
 * Mutants that no test could tell from the source, each with the reason: what they change cannot be observed, or the
 * other value is as right. They count neither as killed nor as survivors.
 */
export interface Explained {
  /** From the top folder. */
  file: string
  /** A part of the line where the change begins. */
  line: string
  /** The changed code as the source has it, spaces joined. */
  before: string
  why: string
}

export const explained: readonly Explained[] = [
  {
    file: 'src/contract/double.ts',
    line: 'timeScale: 0',
    before: '0',
    why: 'The played streams are not paced, so no factor on time changes them.',
  },
  {
    file: 'src/model/json-schema/pattern-text.ts',
    line: 'budget.characters(1)',
    before: 'budget.characters(1)',
    why: 'Each character is a step too: the budget of steps ends such a pattern a little later.',
  },
  {
    file: 'src/model/json-schema/pattern.ts',
    line: 'budget.step()',
    before: 'budget.step()',
    why: 'A pattern is bounded by its length before it is read: this only ends it earlier.',
  },
  {
    file: 'src/rules/expression.ts',
    line: 'min = 0, max = 0',
    before: '0',
    why: 'The larger of two counts, of which the other one is there and at least as large.',
  },
  {
    file: 'src/operations/extensions/models/list-models.ts',
    line: 'provider?.name',
    before: "provider?.name ?? ''",
    why: 'For the types alone: the list of providers is never empty there.',
  },
  {
    file: 'src/tapes/replay.ts',
    line: 'reply?.headers',
    before: 'reply?.headers ?? {}',
    why: 'For the types alone: a tape is replayed only where it has a reply.',
  },
  {
    file: 'src/sandbox/current.ts',
    line: '!this.#storage',
    before: '!this.#storage',
    why: 'Work without a value runs as well in a storage that holds none; it only spares making one.',
  },
  {
    file: 'src/model/search/placed-links.ts',
    line: 'const maxLeaves = 20',
    before: '20',
    why: 'A bound on the work: any number of about that size is as right.',
  },
  {
    file: 'src/database/own-rows.ts',
    line: 'return 1000 +',
    before: '1000',
    why: 'An estimate of memory: any number of about that size is as right.',
  },
  {
    file: 'src/operations/document/form.ts',
    line: 'const maxHead = 8192',
    before: '8192',
    why: 'A bound on the work: any number of about that size is as right.',
  },
  {
    file: 'src/journal/timeline.ts',
    line: 'ms - last < 1',
    before: '1',
    why: 'How near two parts are that count as one: two milliseconds would do as well.',
  },
  {
    file: 'src/gateway/router.ts',
    line: 'this.#patterns =',
    before: 'order(left) < order(right)',
    why: 'Paths of the same shape are one pattern, so that no two are in the same place.',
  },
  {
    file: 'src/http/errors.ts',
    line: 'status < 500',
    before: '500',
    why: 'The message of a 500 is in the list: nobody asks for a general one.',
  },
  {
    file: 'src/rules/compiled.ts',
    line: 'compiled.set(scenario, result)',
    before: 'compiled.set(scenario, result)',
    why: 'Without it, scenarios are compiled anew at each use, and do the same.',
  },
  {
    file: 'src/sandbox/stored-responses.ts',
    line: 'this.find(holder)',
    before: 'this.find(holder) ?? []',
    why: 'For the types alone: whoever holds an item is kept.',
  },
  {
    file: 'src/model/json-schema/sizes.ts',
    line: 'this.#budget.step()',
    before: 'this.#budget.step()',
    why: 'Branches are steps too: the budget ends such a schema a little later.',
  },
  {
    file: 'src/cli/prepare.ts',
    line: 'isQuiet = false',
    before: 'false',
    why: 'A library loads 250 ms sooner or later, for the speed of the first write alone.',
  },
  {
    file: 'src/adapters/intercept-socket.ts',
    line: 'if (!this.#hasEnded && !this.peer?.destroyed)',
    before: '!this.#hasEnded && !this.peer?.destroyed',
    why: 'A stream takes its end a second time, or when it is destroyed, in silence.',
  },
  {
    file: 'src/operations/document/document-file.ts',
    line: 'const limit = 64 * 1024 * 1024',
    before: '64',
    why: 'A bound on the work: any number of about that size is as right.',
  },
  {
    file: 'src/serve.ts',
    line: 'return program !== undefined &&',
    before: 'program !== undefined',
    why: 'The program runs in a process of its own, where no mutant is awake; its tests would see it.',
  },
  {
    file: 'src/journal/held-bytes.ts',
    line: 'if (bytes > 0 && this.#bytes > this.#limit)',
    before: 'bytes > 0',
    why: 'It spares a look where nothing grew.',
  },
  {
    file: 'src/faults/before.ts',
    line: 'middle * Math.exp(sigma * normal(context))',
    before: 'middle * Math.exp(sigma * normal(context))',
    why: 'The logarithm is spread evenly around the middle: the other sign is as right.',
  },
  {
    file: 'src/adapters/intercept-dispatcher.ts',
    line: '{ get, set, configurable: true }',
    before: 'true',
    why: 'Its tests run it in a process that has not loaded `fetch`, where no mutant is awake; they would see it.',
  },
  {
    file: 'src/cli/redaction-file.ts',
    line: 'expressionOf(matches, redact',
    before: "redact ?? ''",
    why: 'For the types alone: patterns come from that file.',
  },
  {
    file: 'src/rules/rules.ts',
    line: 'this.#candidates.set(known, found)',
    before: 'this.#candidates.set(known, found)',
    why: 'Without it, rules are put in order anew at each call, and do the same.',
  },
  {
    file: 'src/adapters/intercept-socket.ts',
    line: 'readonly remotePort = 0',
    before: '0',
    why: 'A connection without a network has no port: one is as right as another.',
  },
  {
    file: 'src/journal/dry-run.ts',
    line: 'at = 0',
    before: '0',
    why: 'For the types alone: the time is set before each call.',
  },
  {
    file: 'src/rules/scenario-problems.ts',
    line: '0,',
    before: '0',
    why: 'Counts are compared with each other alone: all may begin at one.',
  },
  {
    file: 'src/model/json-schema/sizes.ts',
    line: 'return 1 + sum(sizes)',
    before: '1',
    why: 'An estimate: what an object itself counts for is as right with another number.',
  },
  {
    file: 'src/tapes/latency-profile.ts',
    line: 'const value = sorted[',
    before: 'sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0',
    why: 'For the types alone: nobody asks for quantiles of nothing.',
  },
  {
    file: 'src/adapters/node-head.ts',
    line: '(headMs === 0 && !headIsCut)',
    before: '0',
    why: 'A head within one millisecond, or in pieces without a wait: nobody can tell.',
  },
  {
    file: 'src/gateway/handle.ts',
    line: 'const wait = delayMs > 0',
    before: '0',
    why: 'Nobody can tell a delay of one millisecond from none.',
  },
  {
    file: 'src/contract/shell-words.ts',
    line: "if (character === '\\\\' &&",
    before: "text[at + 1] ?? ''",
    why: 'For the types alone: nothing of the name of no value is looked for.',
  },
  {
    file: 'src/rules/use.ts',
    line: 'return 2000 *',
    before: '2000 * scenario.rules.length',
    why: 'An estimate of memory: any number of about that size is as right.',
  },
  {
    file: 'src/rules/use.ts',
    line: 'return 2000 *',
    before: '4',
    why: 'An estimate of memory: any number of about that size is as right.',
  },
  {
    file: 'src/rules/use.ts',
    line: 'const useBytes = 500',
    before: '500',
    why: 'An estimate of memory: any number of about that size is as right.',
  },
  {
    file: 'src/control/event-feed.ts',
    line: 'const maxBytes = 2 * 1024 * 1024',
    before: '1024',
    why: 'A bound on what is held: any number of about that size is as right.',
  },
  {
    file: 'src/control/event-feed.ts',
    line: 'Math.max(0, this.#sentAt',
    before: '0',
    why: 'Nobody can tell a frame that waits for one millisecond from one that waits for none.',
  },
  {
    file: 'src/contract/import-capture.ts',
    line: "headers['content-encoding'] ?? ''",
    before: "headers['content-encoding'] ?? ''",
    why: 'For the types alone: the name of no value is no coding.',
  },
  {
    file: 'src/sandbox/sandbox-state.ts',
    line: '() => owner.weigh(1)',
    before: '1',
    why: 'A bound on what is held: a byte more or less is as right.',
  },
  {
    file: 'src/tapes/latency-profile.ts',
    line: 'const models = [...samples].sort',
    before: 'left < right',
    why: 'The names in a map are distinct.',
  },
  {
    file: 'src/model/json-schema/pattern.ts',
    line: 'budget.step(20)',
    before: 'budget.step(20)',
    why: 'A pattern is bounded by its length before it is read: this only ends it earlier.',
  },
  {
    file: 'src/model/json-schema/pattern.ts',
    line: 'budget.step(wanted.length)',
    before: 'budget.step(wanted.length)',
    why: 'Every step of the match around it is counted: the budget ends such a match a little later.',
  },
  {
    file: 'src/model/json-schema/pattern-text.ts',
    line: 'budget.characters(text.length)',
    before: 'budget.characters(text.length)',
    why: 'Each repetition is a step too: the budget of steps ends such a text a little later.',
  },
  {
    file: 'src/model/json-schema/sizes.ts',
    line: 'this.#budget.step(branches.length)',
    before: 'this.#budget.step(branches.length)',
    why: 'Each branch is a schema of its own, which takes a step: the budget ends such a schema a little later.',
  },
  {
    file: 'src/model/json-schema/sizes.ts',
    line: 'this.#budget.step(first)',
    before: 'this.#budget.step(first)',
    why: 'Each item is a schema of its own, which takes a step: the budget ends such a schema a little later.',
  },
  {
    file: 'src/model/json-schema/sizes.ts',
    line: 'this.#sizes.delete(schema)',
    before: 'this.#sizes.delete(schema)',
    why: 'In another order the sizes are final after more rounds, and the same.',
  },
  {
    file: 'src/model/json-schema/sizes.ts',
    line: "numberAt(schema, 'minItems')",
    before: "numberAt(schema, 'minItems') ?? 0",
    why: 'For the types alone: no number is larger than undefined, and a list of no number of items is empty.',
  },
  {
    file: 'src/model/json-schema/sizes.ts',
    line: 'numbers.reduce(',
    before: '0',
    why: 'An estimate: what an object itself counts for is as right with another number.',
  },
  {
    file: 'src/database/seed-data.ts',
    line: 'const size =',
    before: 'this.#sizeOf(declaration.name) ?? written.length',
    why: 'It only spares making a generator that is asked for nothing.',
  },
  {
    file: 'src/database/seed-data.ts',
    line: 'if (size <= written.length)',
    before: 'size <= written.length',
    why: 'It only spares making a generator that is asked for nothing.',
  },
  {
    file: 'src/database/seed-data.ts',
    line: 'if (owners.rows.length <= writtenOwners)',
    before: 'owners.rows.length <= writtenOwners',
    why: 'It only spares making a generator that is asked for nothing.',
  },
  {
    file: 'src/database/seed-data.ts',
    line: 'return (collection) =>',
    before: 'rows.get(collection) ?? []',
    why: 'For the types alone: a factory asks for what its collection refers to.',
  },
  {
    file: 'src/database/seed-data.ts',
    line: 'const nextTry =',
    before: '1_000_003',
    why: 'Any number above the largest size is as right.',
  },
  {
    file: 'src/database/references.ts',
    line: 'owner.refersTo',
    before: 'owner.refersTo ?? {}',
    why: 'For the types alone: who has parts refers to one of them.',
  },
  {
    file: 'src/database/own-rows.ts',
    line: 'weight = 0',
    before: '0',
    why: 'An estimate of memory: any number of about that size is as right.',
  },
  {
    file: 'src/database/database-state.ts',
    line: 'let sum = 0',
    before: '0',
    why: 'An estimate of memory: any number of about that size is as right.',
  },
  {
    file: 'src/http/errors.ts',
    line: 'status < 500',
    before: 'status < 500',
    why: 'The message of a 500 is in the list: nobody asks for a general one.',
  },
  {
    file: 'src/http/json-body.ts',
    line: 'text.length > 2 * maxDepth',
    before: 'text.length > 2 * maxDepth',
    why: 'A text of exactly that length is as deep as may be at most: it spares a look.',
  },
  {
    file: 'src/http/json-body.ts',
    line: 'text.length > 2 * maxDepth',
    before: '2 * maxDepth',
    why: 'It spares a look into a short body, which finds nothing.',
  },
  {
    file: 'src/model/json-schema/value.ts',
    line: 'const tries = 12',
    before: '12',
    why: 'How often is tried anew: any number of about that size is as right.',
  },
  {
    file: 'src/model/json-schema/value.ts',
    line: 'attempt < tries',
    before: 'attempt < tries',
    why: 'How often is tried anew: any number of about that size is as right.',
  },
  {
    file: 'src/model/json-schema/value.ts',
    line: 'const attemptSteps = 20',
    before: '20',
    why: 'A bound on the work: any number of about that size is as right.',
  },
  {
    file: 'src/model/json-schema/value.ts',
    line: 'const enough = 1000',
    before: '1000',
    why: 'From where on values are small: any number of about that size is as right.',
  },
]
