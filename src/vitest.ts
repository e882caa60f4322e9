/** Vitest integration: a `test` with a gateway per file and a sandbox per test, and matchers for both. */
import {
  afterAll,
  test as base,
  expect,
  inject,
  recordArtifact,
  type TestAPI,
  type TestArtifactBase,
  type TestContext,
} from 'vitest'
import { WriteQueue } from './database/database.ts'
import type { Interception } from './delivery/intercept.ts'
import type { UnhandledRequestStrategy } from './delivery/intercept-destination.ts'
import { survives } from './extras/verdicts/survives.ts'
import { reportFailedTest } from './gateway/failed-test.ts'
import { type PromptOptions, promptsFile, promptsText } from './gateway/prompts.ts'
import { createGateway, type Gateway } from './index.ts'
import type { JournalEntry } from './journal/entry.ts'
import { calls } from './journal/journal-text.ts'
import { assertInspectable, type JournalMatchers, toMatchers } from './journal/matchers.ts'
import { equal } from './lib/equal.ts'
import { printError, printWarning } from './lib/print.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import { assertNames, maxSandboxName } from './sandbox/sandbox-options.ts'
import { everyOperation, type GatewayOptions, type RequestBodies } from './setup.ts'

if (typeof globalThis.process?.getBuiltinModule !== 'function')
  throw new Error(
    "gateway-understudy/vitest requires Node. In Vitest's browser mode, use setupWorker(...handlers(gateway)) with handlers from gateway-understudy/msw",
  )

// Loaded here, because it imports modules that browsers lack.
const { intercept } = await import('./delivery/intercept.ts')

const earlyOptions: GatewayOptions = inject('gatewayOptions' as never) ?? {}
/** Handles requests that are sent before the file's gateway exists, so that they do not reach the network. */
const earlyGateway = createGateway(earlyOptions)
const earlyInterception = intercept(earlyGateway, {
  onUnhandledRequest: inject('onUnhandledRequest' as never) ?? 'guard',
})
let isTaken = false
/** The file's gateway. An extended `test` has fixtures of its own, but the same gateway if its options are equal. */
let taken: { readonly gateway: Gateway; readonly options: GatewayOptions } | undefined
afterAll(endEarly)

/** Returns a gateway with these options: the early gateway, unless it is already taken or has other options. */
function takeGateway(options: GatewayOptions): Gateway {
  if (taken && equal(options, taken.options)) return taken.gateway
  endEarly()
  const isShared = !isTaken && equal(options, earlyOptions)
  isTaken = true
  taken = { gateway: isShared ? earlyGateway : createGateway(options), options }
  return taken.gateway
}

function endEarly(): void {
  earlyInterception.close()
  const received = isTaken ? [] : earlyGateway.journal.entries()
  if (received.length === 0) return
  printWarning(
    `[understudy] The default sandbox received ${callsText(received)} at import or in beforeAll, before the file's gateway existed. Send requests in a test, or in test.beforeAll(async ({ server }) => …), which starts the gateway first.`,
  )
}

export interface PromptSnapshotOptions extends PromptOptions {
  /** File name, for tests with several snapshots. Default: the test name. */
  name?: string
}

export interface Fixtures {
  /**
   * Gateway options. Set with `test.override({ gatewayOptions: { … } })` at the top of a file, or with `provide` in the
   * Vitest configuration for all files. Default: none.
   */
  gatewayOptions: GatewayOptions
  /**
   * Action for unmatched requests: `guard`, `error`, `warn` or `bypass`, as in `intercept`. Set like
   * `gatewayOptions`. Default: `guard`, which rejects requests that appear to be meant for the gateway.
   */
  onUnhandledRequest: UnhandledRequestStrategy
  /** The test file's gateway. */
  gateway: Gateway
  /** Interception, which is active while the file's tests run. `server.use(…)` accepts your own MSW handlers. */
  server: Interception
  /**
   * New sandbox for each test, so that tests can run concurrently. Requests are routed to the sandbox of the test that
   * made them, unless their key or path selects another. Other processes use `sandbox.apiKey` or `sandbox.baseUrl`.
   */
  sandbox: Sandbox<RequestBodies>
  /**
   * If true, `sandbox` is the default sandbox, which is reset before each test, and tests run one at a time. Use it if
   * requests cannot be attributed to a test. Set with `test.override({ serial: true })`. Default: false.
   */
  serial: boolean
}

const more = {
  survives,
}
type More = typeof more

/** Vitest's `test` with our fixtures, and with `survives`, which tests all failures. */
export interface GatewayTest extends TestAPI<Fixtures>, More {}

const extended: TestAPI<Fixtures> = base.extend<Fixtures>({
  gatewayOptions: [{}, { scope: 'file', injected: true }],
  onUnhandledRequest: ['guard', { scope: 'file', injected: true }],
  gateway: [
    async ({ gatewayOptions }, use) => {
      await use(takeGateway(gatewayOptions))
      taken = undefined
    },
    { scope: 'file' },
  ],
  server: [
    async ({ gateway, onUnhandledRequest }, use) => {
      const server = intercept(gateway, { onUnhandledRequest })
      await use(server)
      server.close()
    },
    { scope: 'file', auto: true },
  ],
  serial: false,
  sandbox: [
    async ({ gateway, serial, task, onTestFailed }, use) => {
      const provide = serial ? provideDefault : provideNew
      const start = async (sandbox: Sandbox<RequestBodies>) => {
        reportIfFailed(gateway, sandbox, onTestFailed)
        // Not `run`, which would not cover the test, because Vitest runs the test outside the call to `use`.
        gateway.sandboxes.current?.enterWith(sandbox)
        await use(sandbox)
      }
      await provide(gateway, start, task.fullTestName)
    },
    { auto: true },
  ],
})

const fixtures = ['gatewayOptions', 'onUnhandledRequest', 'gateway', 'server', 'serial', 'sandbox']
const { override } = extended
// Vitest ignores unknown fixtures.
Reflect.set(extended, 'override', (names: string | object, ...values: unknown[]) => {
  assertNames(typeof names === 'string' ? { [names]: values } : names, fixtures, 'test.override')
  return Reflect.apply(override, extended, [names, ...values])
})

export const test: GatewayTest = Object.assign(extended, more)

// If a test has hooks, Vitest sets up fixtures in the first one, and `enter` affects only that hook. With
// `isolate: false`, only the first file that imports this module gets the hook below; in other files, `enter` covers
// tests without hooks.
test.aroundEach(async (runTest, { gateway, sandbox }: Partial<Fixtures>) => {
  // Tests that use Vitest's own `test` in the same file have no fixtures.
  const context = gateway?.sandboxes.current
  await (context ? context.run(sandbox, runTest) : runTest())
})

export { expect }

expect.extend({
  ...toMatchers(everyOperation),
  async toMatchPrompts(received: unknown, options: PromptSnapshotOptions = {}) {
    assertInspectable(received)
    assertNames(options, ['mask', 'name'], 'toMatchPrompts')
    const text = promptsText(await received.journal.entries(), everyOperation, options)
    const assertion = expect(text)
    await (this.isNot ? assertion.not : assertion).toMatchFileSnapshot(promptsFile(this, options.name))
    return { pass: !this.isNot, message: () => '' }
  },
})

declare module 'vitest' {
  interface TestArtifactRegistry {
    /** A failed test's sandbox, as a file that the console can open. */
    'gateway-understudy:sandbox': TestArtifactBase & { type: 'gateway-understudy:sandbox' }
  }

  // The type parameters must be identical to those in Vitest's interface.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends JournalMatchers<R, RequestBodies> {
    /**
     * Asserts that the prompts sent to models match the snapshot file `__prompts__/<test file>/<test>.txt`,
     * which `vitest -u` updates: instructions, tools and the texts of system and user messages. Of other
     * items, only the kind is compared. Must be awaited.
     *
     * @example await expect(sandbox).toMatchPrompts({ mask: [/\d{4}-\d\d-\d\d/] })
     */
    toMatchPrompts(options?: PromptSnapshotOptions): Promise<void>
  }
}

type Use = (sandbox: Sandbox<RequestBodies>) => Promise<void>

async function provideNew(gateway: Gateway, use: Use, title: string): Promise<void> {
  const sandbox = gateway.createSandbox({ name: title.slice(0, maxSandboxName) })
  await use(sandbox)
  warnOfSharing(gateway, sandbox.journal.stray())
  sandbox.dispose()
}

const serialTests = new WriteQueue()

/** Resets the default sandbox and provides it, once earlier tests have finished with it. */
async function provideDefault(gateway: Gateway, use: Use): Promise<void> {
  await serialTests.run(async () => {
    gateway.reset()
    await use(gateway)
    gateway.rules.openGates()
  })
}

function reportIfFailed(
  gateway: Gateway,
  sandbox: Sandbox<RequestBodies>,
  onTestFailed: TestContext['onTestFailed'],
): void {
  const { id, journal } = sandbox
  onTestFailed(async ({ task }) => {
    if ('isSweep' in task.meta) return
    const { rules } = sandbox
    const { text, file } = await reportFailedTest(gateway, {
      test: task.fullTestName,
      sandbox: id,
      entries: journal.entries(),
      unanswered: journal.unanswered(),
      stray: journal.stray(),
      unused: journal.withReasons(rules.unused()),
      scenarios: rules.active(),
      scripts: rules.scripts(),
    })
    const attachments = [file, JSON.stringify(journal.har(), null, 2)].map((text) => ({
      contentType: 'application/json',
      body: new TextEncoder().encode(text),
    }))
    await recordArtifact(task, { type: 'gateway-understudy:sandbox', attachments })
    printError(`[understudy] '${task.fullTestName}' failed. ${text}`)
  })
}

/** Gateways that have already printed the warning, which appears once per file. */
const warned = new WeakSet<Gateway>()

function warnOfSharing(gateway: Gateway, shared: readonly JournalEntry[]): void {
  // Late calls from finished tests get a 410.
  const answered = shared.filter(({ status }) => status !== 410)
  if (answered.length === 0 || warned.has(gateway)) return
  warned.add(gateway)
  printWarning(
    `[understudy] THIS TEST SHARES ITS STATE. The default sandbox, which all tests of the file share, received ${callsText(answered)} that could not be attributed to a test. Such calls come from work that is not awaited, or from a server, queue, timer or process started outside of a test. Await the work, or pass it sandbox.apiKey or sandbox.baseUrl. If requests cannot be attributed, use test.override({ serial: true }): the tests then run one at a time, and the default sandbox is reset before each.`,
  )
}

/** Returns text such as `1 call (GET /api/v1/providers)`. */
function callsText(entries: readonly JournalEntry[]): string {
  const [{ method, path } = { method: '', path: '' }] = entries
  return `${calls(entries.length)} (${entries.length > 1 ? 'such as ' : ''}${method} ${path})`
}
