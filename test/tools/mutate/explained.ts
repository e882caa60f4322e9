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
    file: 'src/delivery/intercept-handlers.ts',
    line: "const host = typeof path === 'string'",
    before: "typeof path === 'string' ? /^\\w+:\\/\\/[^/*:]+(:\\d+)?(?=\\/|$)/.exec(path)?.[0] : undefined",
    why: 'It spares reading a request for handlers that are about another host: they leave it alone by themselves.',
  },
  {
    file: 'src/server/guard.ts',
    line: 'index < rawHeaders.length',
    before: 'index < rawHeaders.length',
    why: 'Behind the end there is no name, and so none that is looked for.',
  },
  {
    file: 'src/cli/prepare.ts',
    line: 'const lookMs = 250',
    before: '250',
    why: 'How long after the start a server looks whether it may prepare: a choice that nobody depends on.',
  },
  {
    file: 'src/extras/recordings/secrets.ts',
    line: 'round < 4',
    before: '4',
    why: 'Each round replaces what the one before brought to light: texts with secrets so deep inside one another are none.',
  },
  {
    file: 'src/model/paced-frames.ts',
    line: 'jitter * (2 * draw() - 1)',
    before: '1 + jitter * (2 * draw() - 1)',
    why: 'A draw lies as often above one half as below: the mirrored pause is as right.',
  },
  {
    file: 'src/http/openapi-document.ts',
    line: 'step < 20',
    before: '20',
    why: 'A bound for references that go in a circle: none are so many in a row.',
  },
  {
    file: 'src/delivery/intercept-http.ts',
    line: 'answer.statusCode ?? 502',
    before: '502',
    why: 'For the types alone: an answer to a client has a status.',
  },
  {
    file: 'src/extras/recordings/observe.ts',
    line: 'timeScale: 0',
    before: '0',
    why: 'The played streams are not paced, so no factor on time changes them.',
  },
  {
    file: 'src/operations/extensions/list-models.ts',
    line: 'provider?.name',
    before: "provider?.name ?? ''",
    why: 'For the types alone: the list of providers is never empty there.',
  },
  {
    file: 'src/extras/recordings/replay.ts',
    line: 'reply?.headers',
    before: 'reply?.headers ?? {}',
    why: 'For the types alone: a recording is replayed only if it has a reply.',
  },
  {
    file: 'src/sandbox/current.ts',
    line: '!this.#storage',
    before: '!this.#storage',
    why: 'Work without a value runs as well in a storage that holds none; it only spares making one.',
  },
  {
    file: 'src/model/structured.ts',
    line: 'const maxLeaves = 20',
    before: '20',
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
    file: 'src/scenarios/compiled.ts',
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
    file: 'src/cli/prepare.ts',
    line: 'isQuiet = false',
    before: 'false',
    why: 'A library loads 250 ms sooner or later, for the speed of the first write alone.',
  },
  {
    file: 'src/delivery/intercept-socket.ts',
    line: 'if (!this.#hasEnded && !this.peer?.destroyed)',
    before: '!this.#hasEnded && !this.peer?.destroyed',
    why: 'A stream takes its end a second time, or when it is destroyed, in silence.',
  },
  {
    file: 'src/http/document-file.ts',
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
    file: 'src/faults/replacing.ts',
    line: 'ms * Math.exp(sigma * normal(context))',
    before: 'ms * Math.exp(sigma * normal(context))',
    why: 'The logarithm is spread evenly around the middle: the other sign is as right.',
  },
  {
    file: 'src/delivery/intercept-dispatcher.ts',
    line: '{ get, set, configurable: true }',
    before: 'true',
    why: 'Its tests run it in a process that has not loaded `fetch`, where no mutant is awake; they would see it.',
  },
  {
    file: 'src/extras/recordings/redact.ts',
    line: 'toExpression(matches, redact',
    before: "redact ?? ''",
    why: 'For the types alone: patterns come from that file.',
  },
  {
    file: 'src/scenarios/rules.ts',
    line: 'this.#candidates.set(known, found)',
    before: 'this.#candidates.set(known, found)',
    why: 'Without it, rules are put in order anew at each call, and do the same.',
  },
  {
    file: 'src/delivery/intercept-socket.ts',
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
    file: 'src/scenarios/scenario-problems.ts',
    line: '0,',
    before: '0',
    why: 'Counts are compared with each other alone: all may begin at one.',
  },
  {
    file: 'src/extras/recordings/latency-profile.ts',
    line: 'const value = sorted[',
    before: 'sorted[Math.floor(share * sorted.length)] ?? 0',
    why: 'For the types alone: nobody asks for quantiles of nothing.',
  },
  {
    file: 'src/delivery/node-head.ts',
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
    file: 'src/scenarios/use.ts',
    line: 'return 2000 *',
    before: '2000 * scenario.rules.length',
    why: 'An estimate of memory: any number of about that size is as right.',
  },
  {
    file: 'src/scenarios/use.ts',
    line: 'return 2000 *',
    before: '4',
    why: 'An estimate of memory: any number of about that size is as right.',
  },
  {
    file: 'src/scenarios/use.ts',
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
    file: 'src/sandbox/sandbox-state.ts',
    line: '() => owner.weigh(1)',
    before: '1',
    why: 'A bound on what is held: a byte more or less is as right.',
  },
  {
    file: 'src/extras/recordings/latency-profile.ts',
    line: 'const models = [...samples].sort',
    before: 'left < right',
    why: 'The names in a map are distinct.',
  },
  {
    file: 'src/database/seed-data.ts',
    line: 'const size =',
    before: 'this.#options.size[declaration.name] ?? written.length',
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
    file: 'src/extras/recordings/latency-profile.ts',
    line: 'const models = [...samples].sort',
    before: '1',
    why: 'Only the sign of a comparison counts.',
  },
  {
    file: 'src/faults/events.ts',
    line: "if (frame.kind === 'wait' ||",
    before: "frame.kind === 'wait' || frame.kind === 'hang-up'",
    why: 'For the types alone: such a frame has no text, and is left as it is.',
  },
  {
    file: 'src/control/event-feed.ts',
    line: 'clearTimeout(this.#timer)',
    before: 'clearTimeout(this.#timer)',
    why: 'Without it, one more frame without calls is written a tenth of a second later.',
  },
  {
    file: 'src/extras/recordings/request-key.ts',
    line: 'const maxCompared = 200',
    before: '200',
    why: 'A bound on the work: any number of about that size is as right.',
  },
  {
    file: 'src/scenarios/turn-answer.ts',
    line: "includes(turn.responseStatus ?? '')",
    before: "turn.responseStatus ?? ''",
    why: 'For the types alone: no status is none of these.',
  },
  {
    file: 'src/journal/ledger.ts',
    line: 'const models = [...this.#models].sort',
    before: 'left < right',
    why: 'The names in a map are distinct.',
  },
  {
    file: 'src/journal/ledger.ts',
    line: 'const models = [...this.#models].sort',
    before: '1',
    why: 'Any number of that sign is as right.',
  },
  {
    file: 'src/journal/timeline.ts',
    line: 'const last = this.#marks.at(-2)',
    before: 'this.#marks.at(-2) ?? 0',
    why: 'For the types alone: the first mark is there from the beginning.',
  },
  {
    file: 'src/journal/ledger.ts',
    line: 'usage.cost ?? 0',
    before: 'usage.cost ?? 0',
    why: 'For the types alone: null counts as nothing in a sum.',
  },
  {
    file: 'src/http/secrets.ts',
    line: 'if (quote < 0) return text.length',
    before: 'quote < 0',
    why: 'It is looked for behind another one, and so never at the beginning.',
  },
  {
    file: 'src/http/secrets.ts',
    line: 'for (let at = start; at < text.length; )',
    before: 'at < text.length',
    why: 'One step behind the end finds nothing either.',
  },
]
