/**
 * For Vitest: a `test` that brings a gateway for each file and a sandbox for each test, and matchers for both.
 *
 * @example
 * import { expect, test } from 'gateway-understudy/vitest'
 *
 * test('tries again after a refusal', async ({ sandbox }) => {
 *   sandbox.fail(529, { times: 1 })
 *   await ask('Hello?', { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey })
 *   expect(sandbox).toHaveReceivedTimes('createResponse', 2)
 * })
 */
import {
  test as base,
  expect,
  type MatcherState,
  recordArtifact,
  type TestAPI,
  type TestArtifactBase,
  type TestContext,
} from 'vitest'
import type { Interception } from './delivery/intercept.ts'
import type { UnhandledRequestStrategy } from './delivery/intercept-destination.ts'
import type { GatewayOptions } from './extras/exports.ts'
import { type PromptOptions, promptsFile, promptsText } from './gateway/prompts.ts'
import { createGateway, type Gateway } from './index.ts'
import type { JournalEntry } from './journal/entry.ts'
import {
  judgeCalls,
  judgeRules,
  judgeScripts,
  judgeUnmatched,
  rulesForOtherOperations,
  type Verdict,
} from './journal/expectations.ts'
import type { BodyOf, CallMatch } from './journal/journal.ts'
import { calls, journalText, sharedCallsText } from './journal/journal-text.ts'
import { didYouMean } from './lib/did-you-mean.ts'
import { printable, printError, printWarning } from './lib/print.ts'
import { takeTurn } from './lib/turns.ts'
import { type Bodies, everyOperation } from './operations/index.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { toSandboxFile } from './sandbox/sandbox-file.ts'
import { assertNames } from './sandbox/sandbox-options.ts'
import type { CustomOperationId } from './scenarios/names.ts'
import type { UnusedRule } from './scenarios/rules.ts'
import type { ScriptProgress } from './scenarios/use.ts'

if (typeof globalThis.process?.getBuiltinModule !== 'function')
  throw new Error(
    "gateway-understudy/vitest needs Node: in Vitest's browser mode, use setupWorker(...handlers(gateway)), with handlers of gateway-understudy/msw",
  )

/** How prompts are written down. */
export interface PromptSnapshotOptions extends PromptOptions {
  /** Of the file, where a test has several. Default: the name of the test. */
  name?: string
}

export interface Fixtures {
  /**
   * Options of the file's gateway: `test.override({ gatewayOptions: { … } })` at the top of the file, or `provide`
   * in the configuration of Vitest for all files. Default: none.
   */
  gatewayOptions: GatewayOptions
  /**
   * Handling of requests that the gateway does not answer: `guard`, `error`, `warn` or `bypass`, as for `intercept`.
   * Set as `gatewayOptions` are. Default: `guard`, which refuses requests that look meant for the gateway.
   */
  onUnhandledRequest: UnhandledRequestStrategy
  /** One for each file. */
  gateway: Gateway
  /** The interception, on while the tests of the file run: `server.use(…)` takes MSW handlers of your own. */
  server: Interception
  /**
   * A new one for each test, so that tests may run at the same time. The calls that a test's code makes come to it,
   * whatever their key; `sandbox.apiKey` and `sandbox.baseUrl` are for those of other processes.
   */
  sandbox: Sandbox<Bodies>
  /**
   * For code whose calls cannot be told apart, such as a queue that all tests share: `sandbox` is the default one,
   * reset before each test, and the tests of a file take turns in it, `test.concurrent` or not. Set by
   * `test.override({ serial: true })`, in a `describe` too. Default: false.
   */
  serial: boolean
}

export const test: TestAPI<Fixtures> = base.extend<Fixtures>({
  gatewayOptions: [{}, { scope: 'file', injected: true }],
  onUnhandledRequest: ['guard', { scope: 'file', injected: true }],
  gateway: [
    async ({ gatewayOptions }, use) => {
      await use(createGateway(gatewayOptions))
    },
    { scope: 'file' },
  ],
  server: [
    async ({ gateway, onUnhandledRequest }, use) => {
      const { intercept } = await import('./delivery/intercept.ts')
      const server = intercept(gateway, { onUnhandledRequest })
      await use(server)
      server.close()
    },
    { scope: 'file', auto: true },
  ],
  serial: false,
  sandbox: [
    async ({ gateway, serial, onTestFailed }, use) => {
      const lend = serial ? lendDefault : lendNew
      await lend(gateway, async (sandbox) => {
        printIfFailed(gateway, sandbox, onTestFailed)
        // Not `run`, which ends before the test begins: the runner waits here only in appearance.
        gateway.sandboxes.current.enter(sandbox)
        await use(sandbox)
      })
    },
    { auto: true },
  ],
})

// Vitest sets fixtures up in the first hook of a test, where `enter` reaches that hook alone. With `isolate: false`, only
// the first file that imports this module gets this hook; in the others, `enter` reaches tests without hooks.
test.aroundEach(async (runTest, { gateway, sandbox }: Partial<Fixtures>) => {
  // A test of Vitest's own `test` in the same file has no fixtures.
  if (gateway) await gateway.sandboxes.current.run(sandbox, runTest)
  else await runTest()
})

export { expect }

expect.extend({
  toHaveReceived(received, operation: string, match?: unknown) {
    return judge(received, ({ entries }) =>
      judgeCalls(entries, { operation: known(operation, received), match }, comparison(this)),
    )
  },
  toHaveReceivedTimes(received, operation: string, times: number, match?: unknown) {
    return judge(received, ({ entries }) =>
      judgeCalls(entries, { operation: known(operation, received), match, times }, comparison(this)),
    )
  },
  toHaveNoUnmatchedRequests(received) {
    return judge(received, ({ entries }) => judgeUnmatched(entries, everyOperation))
  },
  toHaveUsedAllRules(received) {
    return judge(received, ({ entries, unused }) => judgeRules(unused, entries))
  },
  async toMatchPrompts(received, options: PromptSnapshotOptions = {}) {
    if (!isJudged(received))
      throw new TypeError(`expect() takes a gateway or a sandbox here, not ${received}`)
    assertNames(options, ['mask', 'name'], 'toMatchPrompts')
    const text = promptsText(await received.journal.entries(), everyOperation, options)
    const assertion = expect(text)
    await (this.isNot ? assertion.not : assertion).toMatchFileSnapshot(promptsFile(this, options.name))
    return { pass: !this.isNot, message: () => '' }
  },
  toHaveFinishedScript(received) {
    return judge(received, ({ entries, scripts }) => judgeScripts(scripts, entries))
  },
})

declare module 'vitest' {
  interface TestArtifactRegistry {
    /** The sandbox of a test that has failed, as a file that the console opens. */
    'gateway-understudy:sandbox': TestArtifactBase & { type: 'gateway-understudy:sandbox' }
  }

  // The type parameters are those of Vitest: an interface is only extended by one that has the same.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {
    /**
     * An operation was called, with all fields of `match` where it is given; `expect.stringContaining` and the like
     * may stand in it.
     *
     * @example expect(sandbox).toHaveReceived('createResponse', { body: { model: 'aurora/aurora-large' } })
     */
    toHaveReceived<Id extends (keyof Bodies & string) | CustomOperationId>(
      operation: Id,
      match?: CallMatch<BodyOf<Bodies, Id>>,
    ): R
    /** The same, exactly so often. */
    toHaveReceivedTimes<Id extends (keyof Bodies & string) | CustomOperationId>(
      operation: Id,
      times: number,
      match?: CallMatch<BodyOf<Bodies, Id>>,
    ): R
    /** An operation or a rule answered every call. */
    toHaveNoUnmatchedRequests(): R
    /** Every rule in force has happened at least once. */
    toHaveUsedAllRules(): R
    /**
     * What the calls asked of models is what it was: instructions, tools, and who said what, in a file beside the test,
     * `__prompts__/<test file>/<test>.txt`. Written the first time, and by `vitest -u`.
     *
     * @example await expect(sandbox).toMatchPrompts({ mask: [/\d{4}-\d\d-\d\d/] })
     */
    toMatchPrompts(options?: PromptSnapshotOptions): Promise<void>
    /** Every script was followed to its end, by every conversation that began one. */
    toHaveFinishedScript(): R
  }
}

/** A gateway or a sandbox here, whose answers are there at once, or one of a running server. */
interface Judged {
  journal: { entries(): JournalEntry[] | Promise<JournalEntry[]> }
  unusedRules(): UnusedRule[] | Promise<UnusedRule[]>
  scripts?(): ScriptProgress[] | Promise<ScriptProgress[]>
}

type Findings = { entries: JournalEntry[]; unused: UnusedRule[]; scripts: ScriptProgress[] }

function judge(received: unknown, verdict: (findings: Findings) => Verdict) {
  if (!isJudged(received)) throw new TypeError(`expect() takes a gateway or a sandbox here, not ${received}`)
  const entries = received.journal.entries()
  const unused = received.unusedRules()
  const scripts = received.scripts?.() ?? []
  if (Array.isArray(entries) && Array.isArray(unused) && Array.isArray(scripts))
    return toResult(verdict({ entries, unused, scripts }))
  return Promise.all([entries, unused, scripts]).then(([entries, unused, scripts]) =>
    toResult(verdict({ entries, unused, scripts })),
  )
}

function isJudged(value: unknown): value is Judged {
  return typeof value === 'object' && value !== null && 'journal' in value && 'unusedRules' in value
}

function toResult({ message, ...verdict }: Verdict) {
  return { ...verdict, message: () => printable(message) }
}

/** As `toMatchObject` compares: objects may have more fields, and matchers may stand for values. */
function comparison({ equals, utils }: MatcherState): (value: unknown, wanted: unknown) => boolean {
  return (value, wanted) => equals(value, wanted, [utils.iterableEquality, utils.subsetEquality])
}

/** Throws for an operation that there is none of: nobody could ever call it. */
function known(operation: string, { journal }: { journal: { operationIds?: string[] } }): string {
  const ids = journal.operationIds ?? everyOperation.map(({ id }) => id)
  if (ids.includes(operation)) return operation
  throw new TypeError(`Unknown operation '${operation}'${didYouMean(operation, ids)}`)
}

type Use = (sandbox: Sandbox<Bodies>) => Promise<void>

/** A sandbox for this test alone. */
async function lendNew(gateway: Gateway, use: Use): Promise<void> {
  const sandbox = gateway.createSandbox()
  const before = sharedCalls(gateway)
  await use(sandbox)
  warnOfSharing(gateway, newest(gateway, sharedCalls(gateway) - before))
  sandbox.dispose()
}

/** The default sandbox, as if it were new, when the tests before have left it. */
async function lendDefault(gateway: Gateway, use: Use): Promise<void> {
  const leave = await takeTurn(gateway)
  gateway.reset()
  await use(gateway)
  leave()
}

function printIfFailed(
  gateway: Gateway,
  sandbox: Sandbox<Bodies>,
  onTestFailed: TestContext['onTestFailed'],
): void {
  const { id, journal } = sandbox
  const before = sharedCalls(gateway)
  onTestFailed(async ({ task }) => {
    const entries = journal.entries()
    const others = rulesForOtherOperations(sandbox.rules.unused(), entries).map((each) => `\n  ${each}`)
    const own = journalText(`Its sandbox, ${id},`, entries) + others.join('')
    const elsewhere = id === 'default' ? '' : sharedCallsText(newest(gateway, sharedCalls(gateway) - before))
    await attachSandbox(task, sandbox)
    printError(`'${task.name}' has failed. ${own}${elsewhere && `\nBeside it, ${elsewhere}`}`)
  })
}

/** Attaches the sandbox to the report, as a file that the console opens. By now it may be disposed. */
async function attachSandbox(task: TestContext['task'], sandbox: Sandbox<Bodies>): Promise<void> {
  const body = new TextEncoder().encode(JSON.stringify(toSandboxFile(sandbox as Sandbox, true)))
  const attachments = [{ contentType: 'application/json', body }]
  await recordArtifact(task, { type: 'gateway-understudy:sandbox', attachments })
}

/** The newest calls of the default sandbox. */
function newest({ journal }: Gateway, count: number): JournalEntry[] {
  return count === 0 ? [] : journal.entries().slice(-count)
}

/** How many calls have reached the default sandbox. */
function sharedCalls({ journal }: Gateway): number {
  return journal.evictedCount + journal.entries().length
}

/** Once for each file is loud enough. */
const warned = new WeakSet<Gateway>()

function warnOfSharing(gateway: Gateway, shared: readonly JournalEntry[]): void {
  // Late calls of tests that have ended were refused.
  const answered = shared.filter(({ status }) => status !== 410)
  const [example] = answered
  if (!example || warned.has(gateway)) return
  warned.add(gateway)
  printWarning(
    `THIS TEST SHARES ITS STATE. ${calls(answered.length)} (${example.method} ${example.path}) came from code that belongs to no test, so the default sandbox answered, as it does for every other test of this file. That is work that a test did not await, or that runs in a queue, a timer or a process started outside of a test: await it, or give it sandbox.apiKey or sandbox.baseUrl. Where nothing can tell tests apart, say test.override({ serial: true }): then they take turns, each in a default sandbox that is reset.`,
  )
}
