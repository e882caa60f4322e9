/** Playwright integration: a `test` with a server per worker and a sandbox per test. */
import { setTimeout } from 'node:timers/promises'
import { test as base, expect as baseExpect, type ExpectMatcherState, type TestInfo } from '@playwright/test'
import { reportFailedTest } from './gateway/failed-test.ts'
import type { JournalEntry } from './journal/entry.ts'
import { type JournalMatchers, messageWithFields, toMatchers } from './journal/matchers.ts'
import { monotonic } from './lib/clock.ts'
import { printable } from './lib/print.ts'
import { connectGateway, type RemoteGateway, type RemoteSandbox } from './remote.ts'
import { maxSandboxName } from './sandbox/sandbox-options.ts'
import { startServer } from './serve.ts'
import { everyOperation, type GatewayOptions, gatewaySetup, type RequestBodies } from './setup.ts'

declare module '@playwright/test' {
  // Options for the Playwright configuration: `defineConfig({ use: { gatewayOptions: { … } } })`.
  interface PlaywrightWorkerOptions {
    /** Options of the gateway that each worker starts. Default: none. */
    gatewayOptions: GatewayOptions
  }
}

declare global {
  namespace PlaywrightTest {
    interface Matchers<R, T>
      extends JournalMatchers<T extends RemoteSandbox ? Promise<void> : R, RequestBodies> {}
  }
}

/** Matchers that are still running, which a test must await. */
const running = new Set<string>()

const matchers = Object.entries(toMatchers(everyOperation)).map(([name, matcher]) => [
  name,
  async function (this: ExpectMatcherState, received: unknown, ...args: unknown[]) {
    const end = monotonic() + this.timeout
    running.add(name)
    try {
      let result = await matcher.call(this, received, ...args)
      // Like Playwright's own matchers, retries until the assertion holds.
      while (result.pass === this.isNot && monotonic() < end) {
        await setTimeout(100)
        result = await matcher.call(this, received, ...args)
      }
      return { pass: result.pass, message: () => messageWithFields(result) }
    } finally {
      running.delete(name)
    }
  },
])

// Changes `expect` itself, so that other entries can add their matchers to the same one.
baseExpect.extend(Object.fromEntries(matchers))

/** Playwright's `expect`, with matchers for sandboxes: `await expect(sandbox).toHaveReceived('createResponse')`. */
export const expect: typeof baseExpect = baseExpect

export interface WorkerFixtures {
  /** Gateway options, set in the Playwright configuration or with `test.use`. Default: none. */
  gatewayOptions: GatewayOptions
  /**
   * The worker's server, on a free port. If `UNDERSTUDY_URL` is set, connects to that server instead, and
   * throws if there are `gatewayOptions`. `UNDERSTUDY_TOKEN` is the server's token, if it requires one.
   */
  gateway: RemoteGateway
}

export interface TestFixtures {
  /**
   * New sandbox for each test. Pass `sandbox.baseUrl` or `sandbox.apiKey` to the application under test. Reports of
   * failed tests include the journal as text and HAR, and a file for the console.
   */
  sandbox: RemoteSandbox
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  // Cast, because the declaration above adds this option to Playwright's own type.
  gatewayOptions: [{}, { option: true, scope: 'worker' }] as never,
  gateway: [
    async ({ gatewayOptions }, use) => {
      const { UNDERSTUDY_URL: url, UNDERSTUDY_TOKEN: token } = process.env
      if (url && Object.keys(gatewayOptions).length > 0)
        throw new Error('UNDERSTUDY_URL is set, so gatewayOptions must be set on that server (--config)')
      if (url) return use(await connectGateway(url, token ? { token } : {}))
      await using server = await startServer(gatewayOptions)
      await use(await connectGateway(server.url))
    },
    { scope: 'worker' },
  ],
  async sandbox({ gateway }, use, testInfo) {
    await using sandbox = await gateway.createSandbox({ name: titleOf(testInfo).slice(0, maxSandboxName) })
    const before = await gateway.journal.entries()
    await use(sandbox)
    const [matcher] = running
    running.clear()
    if (testInfo.status !== testInfo.expectedStatus)
      await attachJournal(sandbox, testInfo, (await gateway.journal.entries()).slice(before.length))
    else if (matcher)
      throw new Error(`${matcher}() was not awaited: write await expect(sandbox).${matcher}(…)`)
  },
})

/** Returns the titles of the `describe` blocks and the test. */
function titleOf({ titlePath }: TestInfo): string {
  return titlePath.slice(1).join(' > ')
}

/** @param stray Calls that arrived without a sandbox's key or path. */
async function attachJournal(
  sandbox: RemoteSandbox,
  testInfo: TestInfo,
  stray: readonly JournalEntry[],
): Promise<void> {
  const { id, journal } = sandbox
  const { extras } = gatewaySetup
  const { text, file } = await reportFailedTest(
    { extras, operations: everyOperation },
    {
      test: titleOf(testInfo),
      sandbox: id,
      entries: await journal.entries(),
      unanswered: await journal.unanswered(),
      stray,
      unused: await sandbox.unusedRules(),
      scenarios: await sandbox.activeScenarios(),
      scripts: await sandbox.scripts(),
    },
  )
  const har = JSON.stringify(await journal.har(), null, 2)
  await testInfo.attach('journal.txt', { contentType: 'text/plain', body: printable(text) })
  await testInfo.attach('failed-test.json', { contentType: 'application/json', body: file })
  await testInfo.attach('journal.har', { contentType: 'application/json', body: har })
}
