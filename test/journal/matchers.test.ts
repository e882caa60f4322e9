/** Tests the journal's matchers in Vitest, in Playwright, and as functions. Their messages: `test/vitest`. */
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGateway, expectSandbox, type Gateway, promptsText } from '../../src/index.ts'
import { expect as playwrightExpect } from '../../src/playwright.ts'
import { connectGateway, type RemoteSandbox } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'
import '../../src/vitest.ts'
import { call } from '../call.ts'

type Received = Gateway | RemoteSandbox
const runners: [string, (received: Received) => ReturnType<typeof expectSandbox>][] = [
  ['Vitest', (received) => expect(received) as never],
  ['Playwright', (received) => playwrightExpect(received) as never],
  ['expectSandbox()', (received) => expectSandbox(received) as never],
]

describe.each(runners)('matchers of %s', (_, check) => {
  it('judge a local gateway', async () => {
    const gateway = createGateway()
    gateway.script([{ text: 'Hello' }, { text: 'Bye' }])
    await call(gateway, 'POST /responses', { body: { model: 'a/b', input: 'Hi' } })
    await check(gateway).toHaveReceived('createResponse', { body: { input: expect.stringContaining('H') } })
    await check(gateway).not.toHaveReceived('createResponse', { body: { input: expect.any(Number) } })
    await check(gateway).toHaveReceivedTimes('createResponse', 1)
    await check(gateway).toHaveNoUnmatchedRequests()
    await check(gateway).toHaveUsedAllRules()
    await check(gateway).not.toHaveFinishedScript()
    const mistake = async () => check(gateway).toHaveReceived('createResponse', { body: { input: 'Ho' } })
    await expect(mistake()).rejects.toThrow(/^Expected a call to createResponse with these fields, but rec/)
  })

  it('print or show a field that neither a call nor the schema has', async () => {
    const gateway = createGateway()
    await call(gateway, 'POST /responses', { body: { model: 'a/b', input: 'Hi', top_a: 1 } })
    const known = { tools: [], stream: true, reasoning: expect.any(Object), input: expect.any(Number) }
    const match = { body: { inptu: 'Hi', top_a: 2, ...known } } as object
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    await check(gateway).not.toHaveReceived('createResponse', match)
    await check(gateway).toHaveReceivedTimes('createResponse', 0, match)
    const problem = "call to createResponse has 'body.inptu'; did you mean 'input'?"
    expect(warn.mock.calls).toEqual([
      [`[understudy] toHaveReceived(): no ${problem}`],
      [`[understudy] toHaveReceivedTimes(): no ${problem}`],
    ])
    const [hi, ho] = ['Hi', 'Ho'].map((content) => ({ role: 'user', content }))
    await call(gateway, 'POST /responses', { body: { model: 'a/b', input: [hi, ho] } })
    const one = async () => check(gateway).toHaveReceived('createResponse', { body: { input: [ho] } })
    await expect(one()).rejects.toThrow(
      "'body.input' with only these items; to match some items, write expect.arrayContaining([…])",
    )
    const failing = async () => check(gateway).toHaveReceived('createResponse', match)
    await expect(failing()).rejects.toThrow("No call has 'body.inptu'; did you mean 'input'?")
    expect(warn).toHaveBeenCalledTimes(2)
  })

  it('judge a remote sandbox', async () => {
    await using server = await startServer()
    const sandbox = await (await connectGateway(server.url)).createSandbox()
    await sandbox.fail(503)
    await check(sandbox).not.toHaveUsedAllRules()
    await call(sandbox, 'GET /nothing')
    await check(sandbox).not.toHaveReceived('createResponse')
    const failing = async () => check(sandbox).toHaveReceivedTimes('listProviders', 1)
    await expect(failing()).rejects.toThrow('Expected 1 call to listProviders, but received none')
  })

  it.each<[string, unknown[], string]>([
    [
      'toHaveReceivedTimes',
      [3],
      "toHaveReceivedTimes() expects an operation, got 3; write toHaveReceivedTimes('createResponse', 3)",
    ],
    [
      'toHaveReceivedTimes',
      ['createResponse'],
      "toHaveReceivedTimes() expects a number of calls, got undefined; write toHaveReceivedTimes('createResponse', 2)",
    ],
    [
      'toHaveReceived',
      [],
      "toHaveReceived() expects an operation, got undefined; write toHaveReceived('createResponse')",
    ],
    [
      'toHaveReceived',
      ['creatResponse'],
      "Unknown operation 'creatResponse'; did you mean 'createResponse'?",
    ],
    [
      'toHaveReceived',
      ['listProviders', { requestText: 'x' }],
      'requestText is an object, so no text matches it; write { requestText: { text: … } }',
    ],
    [
      'toHaveReceived',
      ['listProviders', { responseBody: expect.stringContaining('x') }],
      'responseBody is an object, so no text matches it; write { responseBody: { text: … } }',
    ],
    [
      'toHaveReceivedTimes',
      ['listProviders', 0, { headers: expect.stringMatching(/x/) }],
      'headers is an object, so no text matches it; write { headers: { name: … } }',
    ],
    [
      'toHaveReceived',
      ['listProviders', { warnings: expect.any(String) }],
      'warnings is a list, so no text matches it; write { warnings: expect.arrayContaining([…]) }',
    ],
  ])('reject %s(%j)', async (name, args, message) => {
    const gateway = createGateway()
    await call(gateway, 'GET /providers')
    const matchers: Record<string, (...args: unknown[]) => unknown> = check(gateway) as never
    await expect((async () => matchers[name]?.(...args))()).rejects.toThrow(message)
  })
})

describe('expectSandbox()', () => {
  it('shows the expected fields and those of the closest call', async () => {
    const gateway = createGateway()
    await call(gateway, 'POST /responses', { body: { model: 'a/b', input: 'Hi' } })
    const body = { model: 'a/c', user: undefined, input: expect.any(String) }
    expect(() => expectSandbox(gateway).toHaveReceived('createResponse', { body })).toThrow(
      /Expected fields: \{\s+"body": \{\s+"model": "a\/c",\s+"user": "\(absent\)",\s+"input": "Any.*"[\s\S]*Received fields: \{\s+"body": \{\s+"model": "a\/b",\s+"user": "\(absent\)",\s+"input": "Hi"/,
    )
  })

  it('shows only the expected fields of items in lists', async () => {
    const gateway = createGateway()
    const input = [
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'More' },
    ]
    await call(gateway, 'POST /responses', { body: { model: 'a/b', input } })
    expect(() =>
      expectSandbox(gateway).toHaveReceived('createResponse', { body: { input: [{ role: 'system' }] } }),
    ).toThrow(expect.objectContaining({ actual: { body: { input: [{ role: 'user' }, input[1]] } } }))
  })

  it("throws an error that Jest shows unchanged, unlike node:assert's", () => {
    const failing = () => expectSandbox(createGateway()).toHaveReceived('listProviders')
    expect(failing).toThrow(expect.objectContaining({ name: 'Error' }))
  })

  it('names calls that the default sandbox received meanwhile', async () => {
    const gateway = createGateway()
    await call(gateway, 'GET /embeddings/models')
    const sandbox = gateway.createSandbox()
    const text = 'The journal has no calls.\nIn addition, the default sandbox received 1 call meanwhile: '
    const fix = '. To send them to this sandbox, use sandbox.baseUrl or sandbox.apiKey or, in process,'
    sandbox.reply('Hello')
    await call(gateway, 'GET /providers')
    for (const failing of [
      async () => expectSandbox(sandbox).toHaveReceived('listProviders'),
      async () => expectSandbox(sandbox).not.toHaveReceived('listProviders'),
      async () => expectSandbox(sandbox).toHaveReceivedTimes('listProviders', 0),
      async () => expectSandbox(sandbox).toHaveUsedAllRules(),
      () => sandbox.journal.waitFor('listProviders', { timeout: 1 }),
    ])
      await expect(failing()).rejects.toThrow(`${text}GET /providers with an unknown key${fix}`)
    expect(() => expectSandbox(gateway).toHaveReceivedTimes('listProviders', 2)).not.toThrow('In addition')
  })

  it('only counts the calls that got a 410', async () => {
    const gateway = createGateway()
    const ended = gateway.createSandbox()
    ended.dispose()
    const sandbox = gateway.createSandbox()
    const headers = { authorization: `Bearer ${ended.apiKey}` }
    expect((await call(gateway, 'GET /providers', { headers })).status).toBe(410)
    const failing = () => expectSandbox(sandbox).toHaveReceived('listProviders')
    const text = 'The journal has no calls.\nIn addition, 1 call to an ended or missing sandbox got a 410.'
    expect(failing).toThrow(new RegExp(`${text}$`))
    await call(gateway, 'GET /providers')
    expect(failing).toThrow(
      `${text}\nIn addition, the default sandbox received 1 call meanwhile: GET /providers`,
    )
  })

  it('rejects a value without a journal', () => {
    expect(() => expectSandbox('sandbox' as never)).toThrow("requires a gateway or a sandbox, got 'sandbox'")
  })
})

describe('promptsText()', () => {
  it("returns the prompts of a journal's calls", async () => {
    const gateway = createGateway()
    await call(gateway, 'POST /responses', {
      body: { model: 'a/b', instructions: 'It is 2026.', input: 'Hi' },
    })
    expect(promptsText(gateway.journal.entries(), { mask: [/\d{4}/] })).toBe(
      '# createResponse a/b\n\ninstructions:\n  It is ….\n\ninput:\n  user:\n    Hi\n',
    )
  })
})
