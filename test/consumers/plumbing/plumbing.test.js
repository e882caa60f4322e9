/**
 * Behaviour that needs no setup code, and error messages, in a project with the installed package.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createGateway, intercept, parseScenario } from 'gateway-understudy/node'
import { connectGateway } from 'gateway-understudy/remote'
import { startServer } from 'gateway-understudy/serve'
import OpenAI from 'openai'
import busy from './busy.json' with { type: 'json' }

const url = 'https://gateway.example/api/v1'
/** Created before any interception. */
const openai = new OpenAI({ apiKey: 'any', baseURL: url, maxRetries: 0 })
const ask = async (model = 'aurora/large') =>
  (await openai.responses.create({ model, input: 'Hello?' })).output_text
const run = promisify(execFile)

function intercepted(options) {
  const gateway = createGateway({ timeScale: 0 })
  const interception = intercept(gateway, options)
  return { gateway, interception, [Symbol.dispose]: () => interception.close() }
}

test('requests from one client reach the sandbox of the test that sent them', async () => {
  using context = intercepted()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, number) => {
      const sandbox = context.gateway.createSandbox()
      sandbox.reply(`answer ${number}`)
      return context.gateway.run(sandbox, () => ask())
    }),
  )
  assert.deepEqual(
    answers,
    answers.map((_, number) => `answer ${number}`),
  )
})

for (const isolate of ['--isolate', '--no-isolate']) {
  test(`Vitest isolates 50 concurrent tests with one client and one key, with ${isolate}`, async () => {
    const { stdout } = await run('npx', ['vitest', 'run', 'apart', isolate])
    assert.match(stdout, /Tests +50 passed \(50\)/)
  })
}

const reason = 'model: must be vendor/model, as in aurora/dawn-2'

test('the reason for a rejection is in the error and in explain()', async () => {
  using context = intercepted()
  await assert.rejects(ask('gpt-4o'), ({ message }) => message.includes(reason))
  assert.ok(context.gateway.journal.explain(context.gateway.journal.entries()[0]).includes(reason))
})

test('a server logs the reason for a rejection, and a suggestion for an unknown path', async () => {
  const { promise: line, resolve: onRequest } = Promise.withResolvers()
  await using server = await startServer({ onRequest })
  const own = new OpenAI({ apiKey: 'any', baseURL: server.baseUrl, maxRetries: 0 })
  await assert.rejects(own.responses.create({ model: 'gpt-4o', input: 'Hello?' }))
  assert.ok((await line).reason.includes(reason))
  const response = await fetch(`${server.baseUrl}/response`, { headers: { authorization: 'Bearer any' } })
  assert.match((await response.json()).error.message, /responses/)
})

test('an unmatched gateway request does not reach the network', async (context) => {
  context.mock.method(console, 'error', () => {})
  using _ = intercepted()
  const elsewhere = new OpenAI({ apiKey: 'any', baseURL: 'https://api.elsewhere.example/v1', maxRetries: 0 })
  await assert.rejects(elsewhere.responses.create({ model: 'aurora/large', input: 'Hello?' }))
  assert.match(console.error.mock.calls[0].arguments[0], /Unhandled request/)
})

test('onUnhandledRequest rejects, logs or passes through unmatched requests', async (context) => {
  const told = [
    context.mock.method(console, 'warn', () => {}),
    context.mock.method(console, 'error', () => {}),
  ]
  const leaving = async (onUnhandledRequest) => {
    using _ = intercepted({ onUnhandledRequest })
    const failure = await fetch('https://elsewhere.invalid/v1/responses').catch((error) => error)
    const lines = told.reduce((count, { mock }) => count + mock.callCount(), 0)
    for (const { mock } of told) mock.resetCalls()
    return [/onUnhandledRequest/.test(`${failure.message} ${failure.cause?.message}`), lines]
  }
  assert.deepEqual(await leaving('error'), [true, 1])
  assert.deepEqual(await leaving('warn'), [false, 1])
  assert.deepEqual(await leaving('bypass'), [false, 0])
})

test('scenario files work in code, in options and in a remote client', async () => {
  const gateway = createGateway({ scenarios: ['./busy.json'] })
  assert.deepEqual(
    gateway.activeScenarios().map(({ name }) => name),
    ['busy'],
  )
  const rule = gateway.use('./busy.yaml')
  assert.ok(rule.id)
  assert.equal(parseScenario(busy).name, 'busy')
  assert.throws(() => gateway.use('timeout'), /'timeout' is a fault, not a scenario/)
  await using server = await startServer()
  const remote = await connectGateway(server.url)
  assert.equal((await remote.use('./busy.json')).name, 'busy')
})

test('rules with `times` apply in the order they are added', async () => {
  using context = intercepted()
  context.gateway.reply('first', { times: 1 })
  context.gateway.fail(503, { times: 1 })
  context.gateway.reply('last', { times: 1 })
  assert.equal(await ask(), 'first')
  await assert.rejects(ask(), { status: 503 })
  assert.equal(await ask(), 'last')
})

test('a stream fault in a sequence does not limit the other steps to streams', async () => {
  using context = intercepted()
  context.gateway.use({
    on: 'createResponse',
    sequence: [{ reply: { text: 'plain' } }, { fault: 'stream-cut' }],
  })
  assert.equal(await ask(), 'plain')
})

test('disposing a remote sandbox rejects if one of its calls failed', async () => {
  await using server = await startServer()
  const remote = await connectGateway(server.url)
  const sandbox = await remote.createSandbox()
  const use = assert.rejects(sandbox.use('flakey'))
  await assert.rejects(
    sandbox.dispose(),
    /A call in sandbox .* was still in flight at dispose\(\) and failed: .*'flaky'/,
  )
  await use
})

test('common mistakes throw one-line errors', async () => {
  const gateway = createGateway()
  const gone = gateway.createSandbox()
  gone.dispose()
  writeFileSync('gateway.config.json', '{ "seed": 1, "timeScal": 0 }')
  const validate = () => run('npx', ['gateway-understudy', 'validate', 'gateway.config.json'])
  const mistakes = [
    [() => gateway.fail(503, 2), /as in fail\(503, { times: 2 }\)/],
    [() => gone.reply('x'), /was disposed/],
    [() => gateway.journal.calls('createRespons'), /did you mean 'createResponse'/],
    [() => connectGateway(undefined), /the URL of a running server/],
    [
      () => gateway.use({ on: '*', fault: { name: 'latency', ms: '2000' } }),
      /fault\.ms must be milliseconds/,
    ],
    [() => gateway.use({ on: '*', when: { body: { input: /x/ } }, fault: 'status' }), /write { matches: /],
    [() => startServer({ prot: 1 }), /did you mean 'port'/],
    [validate, /did you mean 'timeScale'/],
  ]
  for (const [mistake, message] of mistakes) {
    await assert.rejects(
      async () => mistake(),
      (error) => message.test(error.message + (error.stderr ?? '')),
    )
  }
})

test('a file without requests does not load Node’s fetch', async () => {
  const code = `
    import { createGateway, intercept } from 'gateway-understudy/node'
    intercept(createGateway())
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => name.endsWith('deps/undici/undici'))))`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code])
  assert.deepEqual(JSON.parse(stdout), [])
})

test('a failing Vitest test prints its rejected request, and where its other requests went', async () => {
  const { stdout, stderr } = await run('npx', ['vitest', 'run', 'failing']).catch((error) => error)
  const printed = stdout + stderr
  assert.match(printed, /1 failed/)
  assert.match(printed, /model: must be vendor\/model/)
  assert.match(printed, /the default sandbox received 1 call meanwhile: GET \/providers/)
})
