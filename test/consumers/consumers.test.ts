import { cp, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasExtra } from '../has-extra.ts'
import { type Consumer, install } from './consumer.ts'

/** [what the project tests, its folder, number of its tests, versions of its dependencies] */
const projects: [title: string, folder: string, tests: number, versions?: Record<string, string>][] = [
  ['a chat client with Vitest and MSW 3', 'vitest', 9],
  ['a chat client with MSW 2 and Vitest 4', 'vitest', 9, { msw: '^2.12.0', vitest: '^4.1.0' }],
  ['a chat client with the newest Node', 'vitest', 9, { node: 'latest' }],
  ['an OpenAI client with gateway.fetch and node:test', 'node-test', 6],
  ['interception, gateway.fetch, a server and jsdom with Jest', 'jest', 6],
  ['MSW handlers with Jest and ES modules', 'jest-esm', 2],
  ["a page in Vitest's browser mode in a real browser", 'vitest-browser', 6],
  ['a route handler of Next.js', 'next', 2],
  ['a route handler of SvelteKit', 'sveltekit', 2],
  ['a twelve-turn script for four clients, one conversation at a time and 50 at once', 'agents', 8],
  ['a page built by Vite, with the gateway in a service worker of a real browser', 'browser', 2],
]

describe('a project', () => {
  it.each(projects)('tests %s', async (_, folder, tests, versions) => {
    await using project = await install(folder, versions)
    const { code, stdout, stderr } = await project.run('npm test --silent')
    const report = await project.readJson('report.json').catch(() => undefined)
    if (report === undefined) expect(stdout, stderr).toMatch(new RegExp(`^# pass ${tests}$`, 'm'))
    else
      expect(report, stdout + stderr).toMatchObject({
        success: true,
        numPassedTests: tests,
        numTotalTests: tests,
      })
    expect(code).toBe(0)
  })
})

describe('clients created at import time', () => {
  it.each([
    { node: '^24', msw: '^3', starts: 'v24.' },
    { node: '22.13.0', msw: '^2.12', starts: 'v22.13.0' },
    { node: 'latest', msw: '^3', starts: 'v' },
  ])(
    'handle replies, streams, aborts, resets and cuts on Node $node with MSW $msw',
    async ({ starts, ...versions }) => {
      await using project = await install('early-clients', versions)
      const { code, stdout, stderr } = await project.run('npm test --silent')
      expect(stdout, stderr).toMatch(/^# pass 36$/m)
      expect(stdout.startsWith(starts)).toBe(true)
      expect(code).toBe(0)
    },
  )
})

describe.each(['18', '20'])('a project with Node %s', (node) => {
  it('gets an error from each entry that names the required version', async () => {
    await using project = await install('without-msw', { node: `^${node}`, '@playwright/test': '^1.50.0' })
    const load = [
      ...['', '/msw', '/node', '/remote', '/serve', '/playwright'].map((entry) => `import('PKG${entry}')`),
      ...['', '/msw', '/node', '/remote', '/serve'].map((entry) => `require('PKG${entry}')`),
    ].map((code) => code.replace('PKG', 'gateway-understudy'))
    const code = `for (const load of [${load.map((each) => `async () => ${each}`).join()}])
      load().catch(({ stack }) => console.log(stack))`
    const { stdout, stderr } = await project.run(`PATH=node_modules/.bin:$PATH node -e "${code}"`)
    const line = new RegExp(
      `^Error: gateway-understudy needs Node 22\\.13 or newer; this is Node ${node}[.\\d]+$`,
    )
    const lines = stdout.trim().split('\n')
    expect(lines, stderr).toHaveLength(load.length)
    for (const each of lines) expect(each).toMatch(line)
  })
})

describe('a project without MSW', () => {
  it('intercepts requests, uses the gateway, and gets an error that names the package that the handlers need', async () => {
    await using project = await install('without-msw')
    const { stdout, stderr } = await project.run('npm test --silent')
    const report = await project.readJson('report.json')
    expect(report, stdout + stderr).toMatchObject({ success: true, numPassedTests: 2, numTotalTests: 2 })
    for (const file of ['handlers.js', 'handlers.cjs']) {
      const { code, stderr } = await project.run(`node ${file}`)
      expect(code).toBe(1)
      expect(stderr).toContain(
        "[Error: gateway-understudy/msw needs the 'msw' package: npm install --save-dev msw]",
      )
      expect(stderr).not.toMatch(/MODULE_NOT_FOUND|^ +at /m)
    }
  })
})

describe('documentation examples', () => {
  it('run against the packed package', async () => {
    await using project = await install('documents')
    const examples = 'test/readme/examples'
    await cp(examples, join(project.folder, examples), { recursive: true })
    const { stdout, stderr } = await project.run('npm test --silent')
    const report = await project.readJson('report.json')
    expect(report, stdout + stderr).toMatchObject({ success: true, numFailedTests: 0, numPendingTests: 0 })
  })
})

describe('a project in TypeScript', () => {
  it('compiles against the public types in strict mode, for bundlers and for Node', async () => {
    await using project = await install('types')
    const { code, stdout } = await project.run('npm test --silent')
    expect(stdout).toBe('')
    expect(code).toBe(0)
  })
})

describe('a web application with Playwright', () => {
  let project: Consumer
  beforeAll(async () => {
    project = await install('playwright')
  })
  afterAll(() => project[Symbol.asyncDispose]())

  const run = async (script: string, stats: object) => {
    const { stdout, stderr } = await project.run(`npm run --silent ${script}`)
    const report = (await project.readJson('report.json')) as Report
    expect(report.stats, stdout + stderr + JSON.stringify(report.errors)).toMatchObject(stats)
    return report
  }

  it('is tested in a real browser, with a gateway in each worker', async () => {
    await run('test', { expected: 7, unexpected: 0, flaky: 0 })
    expect((await stat(join(project.folder, 'answer.png'))).size).toBeGreaterThan(5000)
  })

  it('is tested against a gateway that started before the application', async () => {
    await run('test:running', { expected: 3, unexpected: 0, flaky: 0 })
  })

  it('rejects gatewayOptions next to UNDERSTUDY_URL, because they have no effect', async () => {
    await project.run('UNDERSTUDY_URL=http://127.0.0.1:1 npm run --silent test:failing')
    const report = JSON.stringify(await project.readJson('report.json'))
    expect(report).toContain('UNDERSTUDY_URL is set, so gatewayOptions must be set on that server')
  })

  it.runIf(hasExtra('recordings'))(
    'is tested with committed recordings and faults, in the browser, in Vitest and with a server',
    async () => {
      const commit =
        'git init -q && git add recordings && git -c user.name=a -c user.email=a@b.example commit -qm a'
      const { stdout, stderr } = await project.run(
        `npm run --silent record && ${commit} && rm -r recordings && git checkout -q recordings && npm run --silent test:vitest`,
      )
      expect(stdout, stderr).toContain('response.completed: Tides follow the moon')
      const vitest = await project.readJson('vitest.json')
      expect(vitest, stderr).toMatchObject({ success: true, numPassedTests: 10, numTotalTests: 10 })
      await run('test:recorded', { expected: 5, unexpected: 0 })
    },
  )

  it('attaches the journal, as text and as HAR, to the report of failing tests only', async () => {
    const report = await run('test:failing', { expected: 1, unexpected: 2 })
    expect(JSON.stringify(report)).toContain('was not awaited: write await expect(sandbox).toHaveReceived(…)')
    const [failing, passing] = (report.suites[0]?.specs ?? []).map(
      ({ tests }) => tests[0]?.results[0]?.attachments,
    )
    expect(passing).toEqual([])
    const [text, har] = (failing ?? [])
      .filter(({ name }) => name.startsWith('journal.'))
      .map(({ body }) => Buffer.from(body, 'base64').toString())
    expect(text).toMatch(
      /^Sandbox s1 has 2 calls:\n {2}1\. GET .*\/providers \(listProviders\): 503 by fail\(\)/,
    )
    expect(text).toMatch(/\(createResponse\): 400, \d+ ms\n +input: is required/)
    expect(text).toContain(
      'In addition, the default sandbox received 1 call meanwhile: GET /providers with an unknown key',
    )
    expect(JSON.parse(har ?? '').log.entries[0].response.status).toBe(503)
  })
})

/** The parts of a Playwright report that the tests read. */
interface Report {
  stats: { expected: number; unexpected: number; flaky: number }
  errors: unknown[]
  suites: { specs: { tests: { results: { attachments: { name: string; body: string }[] }[] }[] }[] }[]
}
