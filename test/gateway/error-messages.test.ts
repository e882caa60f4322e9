/**
 * Tests error messages for common mistakes, at the entry points where users make them: one line that names
 * the field and the fix.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { http } from 'msw'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import * as z from 'zod'
import { handlers } from '../../src/msw.ts'
import {
  createGateway,
  defineOperation,
  eventStream,
  expectSandbox,
  GatewayError,
  intercept,
  journalText,
  json,
  ok,
  parseScenario,
} from '../../src/node.ts'
import { connectGateway, type RemoteGateway } from '../../src/remote.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { expect as vitestExpect } from '../../src/vitest.ts'
import { call } from '../call.ts'
import { temporaryFolder } from '../temporary-folder.ts'

// Bypasses the types, as plain JavaScript does.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

const gateway: Any = createGateway({ timeScale: 0 })
const create = createGateway as Any
const start = startServer as Any
const folder = temporaryFolder()
let server: RunningServer
let remote: RemoteGateway & Any
beforeAll(async () => {
  server = await startServer()
  remote = await connectGateway(server.url)
})
afterAll(() => server.close())

/** Returns the text that a mistake returns, or the message of the error it throws. */
async function messageOf(mistake: () => unknown): Promise<string> {
  try {
    const result = await mistake()
    return typeof result === 'string' ? result : `no error: ${result}`
  } catch (error) {
    return (error as Error).message
  }
}

/** Returns an error reply's message, status and error type. */
function describeReply({ status, body: { error } }: Awaited<ReturnType<typeof call>>): string {
  return `${error.message} (${status} ${error.type ?? error.code})`
}

async function control(line: string, body?: unknown): Promise<string> {
  const options = { body: JSON.stringify(body) }
  return describeReply(await call({ baseUrl: `${server.url}/__understudy` }, line, options))
}

const rule = (fields: object) => gateway.use({ on: 'createResponse', fault: 'status', ...fields })
const declared = (fields: object) =>
  create({
    operations: [
      (defineOperation as Any)({
        id: 'getX',
        method: 'get',
        path: '/x',
        output: {},
        resolve: () => ok({}),
        ...fields,
      }),
    ],
  })

const ask = (target: Any, fields: object = {}) =>
  call(target, 'POST /responses', {
    body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello', ...fields }),
  })

/** Throws the error message caused by a function passed to `reply()`. */
async function replied(reply: Any): Promise<never> {
  const own: Any = createGateway()
  own.reply(reply)
  throw new Error(describeReply(await ask(own)), { cause: own.journal.last('createResponse').error })
}

/** Throws the error message caused by a custom operation's resolver. */
async function resolved(resolve: Any): Promise<never> {
  const output = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } }
  const operation = (defineOperation as Any)({ id: 'getX', method: 'get', path: '/x', output, resolve })
  const own = create({ operations: [operation] })
  const { message } = (await call(own, 'GET /x')).body.error
  throw new Error(message, { cause: own.journal.last('getX')?.error })
}

/** Writes a scenario file and activates it. */
function used(name: string, text: string): void {
  writeFileSync(join(folder, name), text)
  gateway.use(join(folder, name))
}

/** Returns the error in the journal: the reply's error message, followed by the header `x-understudy-reason`. */
async function reasonOf(
  options: object,
  authorization?: string,
  line = 'PATCH /workspaces/x',
  body: object = {},
): Promise<string> {
  const own = create(options)
  const [method, path] = line.split(' ')
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
  const reply = await own.fetch(`https://gateway.example/api/v1${path}`, {
    method,
    headers,
    body: JSON.stringify(body),
  })
  const { error } = own.journal.entries()[0]
  const header = reply.headers.get('x-understudy-reason')
  expect(error.replace(/[^ -~]/g, '?')).toBe(`${(await reply.json()).error.message}: ${header}`)
  return error
}

const mistakes: Record<string, [make: () => unknown, message: string][]> = {
  'values in the wrong form': [
    [
      () => gateway.use({ on: 'getPreset', when: { params: { id: 'x' } }, fault: 'timeout' }),
      'use(): when.params.id is not a parameter of /presets/{slug}',
    ],
    [
      () => gateway.use({ on: 'createResponse', fault: 'stream-cut', afterEvents: 3 }),
      "use(): unknown field 'afterEvents'; write fault: { name: 'stream-cut', afterEvents: 3 }",
    ],
    [
      () => gateway.use({ on: '*', when: { path: '/x' }, fault: 'timeout' }),
      "unknown field 'when.path'; choose the endpoint with on: 'createResponse', or on: 'POST /path'",
    ],
    [() => gateway.fail(429, { retryAfter: 5 }), "headers: { 'retry-after': '1' }"],
    [
      () => gateway.reply('x', { citations: ['https://a.example'] }),
      "citations[0] must be an object such as { url: 'https://example.com/tides' }, got",
    ],
    [
      () => gateway.script({ text: 'x' }),
      "turns must be a list of turns, such as [{ text: 'Hello' }], got an object",
    ],
    [
      () => gateway.script([{ call: { name: 'search', arguments: {} } }]),
      "must be arguments by function name, such as { search: { q: 'tides' } }, got an object",
    ],
    [() => gateway.script(['Hello'] as Any), "turns[0] must be an object; write { text: 'Hello' }"],
    [() => gateway.script([{ call: { name: 'search' } }]), 'must be arguments by function name'],
    [
      () => gateway.script([{ call: 'search' }]),
      "must be arguments by function name, such as { search: { q: 'tides' } }, got 'search'",
    ],
    [() => parseScenario('{}' as Any), 'parseScenario(JSON.parse(text))'],
    [() => gateway.db.provider, "db: unknown collection 'provider'; did you mean 'providers'?"],
    [
      () => gateway.db.providers.update('aurora'),
      'db.providers.update(): the second argument must be an object with the fields to change, got undefined',
    ],
    [() => gateway.restore(createGateway().snapshot()), 'it was taken in another gateway'],
    [
      () => gateway.fetch('/responses'),
      "gateway.fetch() expects an absolute URL, such as https://gateway.example/api/v1/responses, got '/responses'",
    ],
    [
      async () => {
        const own = createGateway()
        own.reply('{{ inptu }}')
        await ask(own)
        return own.journal.last('createResponse')?.warnings.join() ?? ''
      },
      "did you mean 'input'?",
    ],
    [() => declared({ method: undefined }), "operation 'getX': method is required"],
    [
      () => declared({ writess: true, output: undefined }),
      "createGateway: operation 'getX': writess: unknown field; did you mean 'writes'?",
    ],
    [() => declared({ handler: () => ok({}) }), 'handler: unknown field; expected one of'],
    [
      () => declared({ input: z.object({ id: z.string() }) }),
      'input must be { params, query, headers, body }, each a schema',
    ],
    [
      () =>
        declared({ path: '/x/{id}', output: z.object({}), input: { params: z.object({ xId: z.string() }) } }),
      'input.params.xId is not a parameter of /x/{id}',
    ],
    [
      () => {
        const output = { '~standard': { validate: () => ({}) } }
        declared({ output }).use({ on: 'getX', fault: 'stream-cut' })
      },
      "which 'getX' does not have: use it on 'text', or set streams: true in the operation",
    ],
    [() => start({ host: 'http://127.0.0.1' }), 'options.host must be a host name without'],
    [
      () => start({ allowedHosts: ['gateway:4141'] }),
      'options.allowedHosts[0] must be a host name without scheme and port',
    ],
    [
      () => start({ allowedOrigins: ['app.example'] }),
      'options.allowedOrigins[0] must be an origin such as https://app.example',
    ],
    [
      () => remote.db.providers.query(),
      "db.providers.query() works only in the gateway's process: use db.providers.list({ … })",
    ],
    [() => control('PUT /sandboxes', ''), '/__understudy/sandboxes allows GET, POST, HEAD'],
    [
      async () => {
        const disposed = await remote.createSandbox()
        await disposed.dispose()
        return await disposed.use('flaky')
      },
      'was disposed: use it before dispose(), or create another sandbox',
    ],
    [
      () => control('POST /scenarios', 'flaky'),
      'did you mean POST /__understudy/sandboxes/default/scenarios?',
    ],
  ],
  'the journal and snapshots': [
    [() => gateway.journal.calls('createResponse', 'x'), 'journal.calls(): match must be an object such as'],
    [
      () => expectSandbox(gateway).toHaveReceived('createResponse', { modle: 'x' } as Any),
      "toHaveReceived(): A call has no field 'modle'; to match the body, write { body: { modle: … } }",
    ],
    [
      () => gateway.journal.calls('createResponse', { model: 'x' }),
      'to match the body, write { body: { model: … } }',
    ],
    [
      () => gateway.journal.calls('createResponse', { body: { input: /x/ } }),
      'a RegExp (/x/) is not supported; write expect.stringMatching(/x/)',
    ],
    [
      async () => {
        const own = create()
        await ask(own)
        const headers = { 'Content-Type': 'application/json' }
        return `calls: ${own.journal.calls('createResponse', { headers }).length}`
      },
      'calls: 1',
    ],
    [() => gateway.journal.calls('GET /reports/7'), "a rule's path has no operation: use journal.entries()"],
    [() => gateway.journal.calls('POST /v1/responses'), "did you mean 'createResponse'?"],
    [() => gateway.journal.calls('*'), 'use journal.entries() for all calls'],
    [
      () => gateway.journal.waitFor('createResponse', { timeoutMs: 9 } as object),
      "journal.waitFor(): unknown option 'timeoutMs'; did you mean 'timeout'?",
    ],
    [
      () => gateway.journal.waitFor('createResponse', { count: 0 }),
      "got 0: to assert that nothing was received, use journal.calls('createResponse').length or not.toHaveReceived()",
    ],
    [
      () => gateway.journal.explain('createResponse'),
      "expects a call, got an operation; write explain(journal.last('createResponse'))",
    ],
    [() => gateway.journal.explain(undefined), 'journal.last() returns undefined if there is no call'],
    [() => gateway.restore({}), 'restore() expects a snapshot from sandbox.snapshot(), got {}'],
    [
      () => gateway.restore(gateway.createSandbox({ id: 'other' }).snapshot()),
      "it belongs to sandbox 'other'",
    ],
  ],
  "users' functions": [
    [() => replied(() => undefined), 'it must return text or a reply object, got undefined'],
    [() => replied(() => ({ txt: 'x' })), "unknown field 'txt'; did you mean 'text'?"],
    [
      () => resolved(() => ({})),
      "resolve() of the 'getX' operation must return a reply, such as ok({ … }), got {}",
    ],
    [
      () => resolved(() => (json as Any)({}, 201)),
      'json() expects a status and a value, as in json(201, { … }), got {}',
    ],
    [
      () => resolved(() => (eventStream as Any)('Hello')),
      "eventStream() expects frames, such as [{ kind: 'event', event: { … } }], got 'Hello'",
    ],
    [
      () => resolved(() => eventStream([])),
      "resolve() of the 'getX' operation returned an event stream: add streams: true to the operation",
    ],
    [
      () =>
        resolved(() => {
          throw new GatewayError(200)
        }),
      'threw a GatewayError with the status 200; it must be 400 to 599',
    ],
    [
      () =>
        resolved(() => {
          throw new Error('boom')
        }),
      "resolve() of the 'getX' operation threw Error: boom",
    ],
  ],
  'requests with a field that is not simulated': [
    [
      async () => {
        const own = createGateway()
        const body = { model: 'aurora/dawn-2', n: 2, messages: [{ role: 'user', content: 'Hello' }] }
        await call(own, 'POST /chat/completions', { body: JSON.stringify(body) })
        return `warnings: ${own.journal.entries()[0]?.warnings.length}`
      },
      'warnings: 0',
    ],
  ],
  'requests in the form of another operation': [
    [
      async () => describeReply(await ask(createGateway(), { input: undefined, messages: [] })),
      "input: is required; 'messages' is for POST /chat/completions",
    ],
    [
      async () =>
        describeReply(await ask(createGateway(), { tools: [{ type: 'function', function: { name: 'x' } }] })),
      "tools[0].name: is required; 'function' is for POST /chat/completions",
    ],
    [
      async () => describeReply(await ask(createGateway(), { previous_response_id: 'resp_1' })),
      'or set the storedResponses option',
    ],
  ],
  "other libraries' names": [
    [() => gateway.clock.set('2026-02-01'), "clock.set does not exist: use advance('1h')"],
    [() => gateway.post('/x'), 'gateway.post does not exist: use reply(), fail() or use()'],
    [() => gateway.clock.now(), 'clock.now does not exist: use read()'],
    [() => create().createSandbox().close(), 'sandbox.close does not exist: use dispose()'],
    [() => gateway.db.providers.find(), 'records.find does not exist: use list('],
    ...['stop', 'listen'].flatMap((name): [() => unknown, string][] => [
      [() => (server as Any)[name](), `server.${name} does not exist: use `],
      [
        () => {
          const interception: Any = intercept(createGateway())
          onTestFinished(() => interception.close())
          return interception[name]()
        },
        `interception.${name} does not exist: use `,
      ],
    ]),
    [() => gateway.stop(), 'gateway.stop does not exist: use dispose(), or reset() for a gateway'],
    [
      () => gateway.listen(),
      'use intercept(gateway) of gateway-understudy/node, or startServer({ gateway })',
    ],
    [() => gateway.fail(503, { count: 2 }), "unknown field 'count'; use times"],
    [
      () => gateway.reply(new Response('x')),
      "must be text, a reply or a function, as in reply('Hello', { times: 2 }), got a Response",
    ],
    [() => gateway.reply({ content: 'x' }), "unknown field 'content'; use text"],
    [() => gateway.script([{ tool: { x: {} } }]), "unknown field 'turns[0].tool'; use call: {"],
    [
      () => gateway.use({ on: 'text', when: { prompt: 'x' }, reply: 'y' }),
      "unknown field 'when.prompt'; use input",
    ],
    [() => create({ clock: new Date() }), "options.clock must be 'fixed' or 'system', got a Date"],
    [
      () => reasonOf({}, 'Bearer any', 'POST /responses', { model: '@preset/researc', input: 'x' }),
      "no preset has the slug 'researc'",
    ],
    [() => gateway.journal.requests(), 'journal.requests does not exist: use entries()'],
  ],
  'arguments of the wrong kind': [
    [() => (handlers as Any)(gateway, ['createResponse']), "as in handlers(gateway, 'getPreset')"],
    [() => (intercept as Any)(gateway, 'error'), 'such as { onUnhandledRequest: … }'],
    [() => (journalText as Any)([]), 'journalText() expects a title and entries'],
    [() => create({ operations: {} }), 'options.operations must be a list, got {}; write […]'],
    [
      () => [gateway.fork('twin'), gateway.fork('twin')],
      "fork(): Sandbox 'twin' already exists: dispose it first, or choose another id",
    ],
    [() => gateway.db.providers.create(), 'db.providers.create() expects one record'],
    [() => gateway.db.providers.list(() => true), 'use query()'],
    [() => gateway.journal.calls(), "journal.calls() expects an operation such as 'createResponse'"],
    [() => gateway.use('./x.txt'), 'its name must end in .yaml, .yml or .json'],
  ],
  'rejections whose message the specification sets': [
    [() => reasonOf({}, undefined), 'send Authorization: Bearer <key>, with any key'],
    [
      () => reasonOf({}, 'Bearer any', 'PATCH /workspaces/caf%C3%A9'),
      "no workspace has the id or slug 'caf\u00e9'; expected one of staging, production",
    ],
  ],
  'replies that a real gateway would not send': [
    [
      async () => {
        const own = createGateway()
        own.script([{ call: { serch: {} } }, { text: 'x' }])
        await ask(own, { tools: [{ type: 'function', name: 'search' }] })
        return own.journal.last('createResponse')?.warnings.join() ?? ''
      },
      "the script calls 'serch', but the request's tools do not include it; did you mean 'search'?",
    ],
    [
      async () => {
        const own = createGateway({ baseUrl: 'https://ours.example/v2' })
        const { status } = await call(
          { fetch: own.fetch, baseUrl: 'https://ours.example/v2' },
          'GET /providers',
        )
        return `${status}; ${describeReply(await call(own, 'GET /providers'))}`
      },
      "200; Resource not found: the gateway's operations are under https://ours.example/v2, so check the client's base URL",
    ],
  ],
  'files that cannot be parsed': [
    [() => used('c.json', '{"rules": ['), 'c.json:1:12: not JSON: a bracket, quote, '],
    [() => used('e.json', '{"a": 1 "b": 2}'), 'e.json:1:7: not JSON: a bracket or comma is missing'],
    [
      () => used('a.yaml', 'rules:\n  - on: [x\n    fault: y\n'),
      'a.yaml:3:5: not YAML: close each bracket, check the indentation of this line and the one above, or quote text with a colon',
    ],
  ],
  createGateway: [
    [() => create({ apiKeys: [] }), 'options.apiKeys must not be empty: omit it to accept any key'],
    [
      () => create({ fixtures: { providers: [{ id: 'ours' }] } }),
      "unknown field 'options.fixtures.providers[0].id'; expected one of name, slug, headquarters",
    ],
    [() => create('flaky'), "createGateway expects an options object such as { seed: … }, got 'flaky'"],
    [() => create({ seeed: 1 }), "createGateway: unknown option 'seeed'; did you mean 'seed'?"],
    [
      () => create({ limits: { max: 3 } }),
      "createGateway: unknown option 'limits.max'; expected one of sandboxes, sandboxIdle, journalBytes, defaultSandbox, journalEntries, journalBodyBytes, requestBodyBytes",
    ],
    [() => create({ upstream: 'x' }), "unknown option 'upstream'; use recordings: { upstream: … }"],
    [() => create({ extensions: [] }), 'by default; onlySpecified: true disables all but six'],
    [() => create({ port: 4141 }), "unknown option 'port'; it is a startServer option"],
    [
      () => create({ scenarios: 'flaky' }),
      "createGateway: options.scenarios must be a list, got 'flaky'; write ['flaky']",
    ],
    [() => create({ baseUrl: 'gateway.example' }), 'options.baseUrl must be an http or https URL'],
    [() => create({ timeScale: '0' }), "options.timeScale must be a number, got '0'"],
  ],
  startServer: [
    [() => start({ port: '4141' }), "options.port must be 0 to 65535, got '4141'"],
    [() => start(4141), 'startServer expects an options object'],
  ],
  scenarios: [
    [() => gateway.use('503'), "Unknown scenario '503'; write 'status-503', or fail(503)"],
    [() => gateway.use({ name: 'x', rule: [] }), "use(): unknown field 'rule'; did you mean 'rules'?"],
    [
      () => gateway.use('stream-cut', { times: 1 }),
      "use(): each argument must be a scenario or a rule; write options into a rule: use({ on: 'text', fault: 'stream-cut', times: … })",
    ],
    [
      () => gateway.use({ name: 'stream-cut', afterDeltas: 2 }),
      "use(): unknown field 'afterDeltas'; write on: 'text', fault: { name: 'stream-cut', afterDeltas: 2 }",
    ],
    [() => gateway.use(), 'use() expects at least one scenario or rule'],
    [() => gateway.use(['flaky']), 'use(): a scenario must be { name, rules: […] }, got a list'],
    [() => gateway.use('./nope.yaml'), `./nope.yaml: no such file (looked for ${process.cwd()}/nope.yaml)`],
    [() => rule({ on: 'POST rank' }), "on: the path must start with a slash: write 'POST /rank'"],
    [() => rule({ on: 'POST /v1/other' }), "a path without the base URL, as in 'POST /other'"],
    [
      () => rule({ on: 'POST /reports/{id}' }),
      'has a placeholder, but rules match literal paths: use defineOperation()',
    ],
    [
      () => rule({ fault: { name: 'latency', ms: '2000' } }),
      "use(): fault.ms must be milliseconds, or a duration such as '500ms', '10s' or '1m', got '2000'",
    ],
    [
      () => rule({ when: { body: { model: /aurora/ } } }),
      'use(): when.body.model: a RegExp (/aurora/) is not supported; write {"matches":"aurora"}',
    ],
    [() => rule({ when: { model: /au/ } }), "/au/) is not supported; write a glob such as 'aurora/*'"],
  ],
  'reply, fail and script': [
    [
      () => gateway.use('stream-cut', { afterDeltas: 1 }),
      "use({ on: 'text', fault: { name: 'stream-cut', afterDeltas: … } })",
    ],
    [
      () => createGateway({ latency: { ttft: 1 } as Any }),
      'unknown field; expected one of perToken, firstToken',
    ],
    [() => rule({ fault: 'latency', during: '1m' }), "during must be { from, to }, got '1m'"],
    [
      () => gateway.use(http.get('*', () => undefined)),
      'use() expects rules: pass handlers of MSW to setupServer() or setupWorker()',
    ],
    [() => gateway.fail(503, 2), 'as in fail(503, { times: 2 })'],
    [() => gateway.fail('timeout'), "fail(): status must be a number, got 'timeout'; write use('timeout')"],
    [() => gateway.fail('createResponse', 503), "write fail(503, { on: 'createResponse' })"],
    [() => gateway.fail('503'), "got '503'; write fail(503)"],
    [() => gateway.fail({ status: 503 }), 'fail(): status must be a number, got an object; write fail(503)'],
    [() => gateway.fail(503, { time: 2 }), "fail(): unknown field 'time'; did you mean 'times'?"],
  ],
  'sandboxes, database and journal': [
    [
      () => gateway.handlers,
      'gateway.handlers does not exist: use handlers(gateway) of gateway-understudy/msw',
    ],
    [() => gateway.db.workspaces.findMany(), "records.findMany does not exist: use list({ name: '…' })"],
    [
      () => (expectSandbox as Any)(gateway).toHaveBeenCalledTimes('createResponse', 1),
      'expectSandbox.toHaveBeenCalledTimes does not exist: use toHaveReceivedTimes()',
    ],
    [() => gateway.createSandbox({ sede: 2 }), "createSandbox: unknown option 'sede'; did you mean 'seed'?"],
    [
      () => gateway.clock.advance('soon'),
      "clock.advance(): expected 0 or more milliseconds, or a duration such as '1m', up to the year 9900, but got 'soon'",
    ],
    [
      () => gateway.db.providers.query({ name: 'Aurora' }),
      'db.providers.query() expects a function, got an object; write query((q) => q.where({ … })), or list({ … })',
    ],
    [
      () => gateway.journal.calls('createRespons'),
      "Unknown operation 'createRespons'; did you mean 'createResponse'?",
    ],
    [
      () => gateway.journal.calls('createResponse', { boddy: {} }),
      "A call has no field 'boddy'; did you mean 'body'?",
    ],
    [
      () => gateway.journal.waitFor('listProviders', 2),
      "journal.waitFor(): the second argument must be an object, as in waitFor('listProviders', { count: 2, timeout: 1000 }), got 2",
    ],
  ],
  'MSW and intercept': [
    [() => handlers(createGateway(), 'createRespons' as Any), "did you mean 'createResponse'?"],
    [() => (intercept as Any)(), 'intercept() expects a gateway, as in intercept(createGateway())'],
    [
      () => (intercept as Any)(gateway, { onUnhandledRequests: 'error' }),
      "did you mean 'onUnhandledRequest'?",
    ],
    [
      () => (intercept as Any)(gateway, { onUnhandledRequest: 'ignore' }),
      "intercept: options.onUnhandledRequest must be 'guard', 'error', 'warn' or 'bypass', got 'ignore'",
    ],
  ],
  connectGateway: [
    [
      () => (connectGateway as Any)(undefined),
      'connectGateway() expects the URL of a running server, such as http://127.0.0.1:4141, got undefined',
    ],
    [() => connectGateway('localhost:4141'), "got 'localhost:4141'"],
    [
      () => (connectGateway as Any)(server.url, { apiKey: 'x' }),
      "connectGateway: unknown option 'apiKey'; expected token",
    ],
    [() => remote.run(() => 'x'), "run() works only in the gateway's process: use sandbox.baseUrl or"],
    [() => remote.openSandbox(), 'gateway.openSandbox does not exist: use createSandbox()'],
    [() => remote.reply({ content: 'x' }), "reply(): unknown field 'content'; use text"],
    [() => remote.use(undefined), 'got undefined'],
    [() => remote.reply(() => 'x'), "a function works only in the gateway's process"],
    [() => remote.db.provider.list(), "collection: unknown collection 'provider'; did you mean 'providers'?"],
  ],
  'Vitest matchers': [
    [
      () => (vitestExpect(undefined) as Any).toHaveReceived('createResponse'),
      'expect(): this matcher requires a gateway or a sandbox, got undefined',
    ],
  ],
  'control requests': [
    [() => control('GET /sandboxe'), 'did you mean GET /__understudy/sandboxes?'],
    [() => control('POST /sandboxes/default/scenarios', './x.yaml'), "send the file's content instead"],
    [
      () => control('POST /sandboxes/default/clock/advance', { ms: '1000' }),
      "ms: must be milliseconds, or a duration such as '500ms', '10s' or '1m', got '1000'",
    ],
  ],
}

/** Returns the source of a mistake on one line. */
function sourceOf(make: () => unknown): string {
  return String(make)
    .replace(/^(async )?\(\) =>/, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 90)
}

describe.each(Object.entries(mistakes))('mistakes: %s', (_, list) => {
  it.each(list.map(([make, expected]) => [sourceOf(make), make, expected] as const))(
    'are reported on one line: %s',
    async (_source, make, expected) => {
      const message = await messageOf(make)
      expect(message).toContain(expected)
      expect(message.trim()).not.toContain('\n')
    },
  )
})

it("the journal states where a user's function threw", async () => {
  const failing = () => {
    throw new Error('boom')
  }
  await expect(resolved(failing)).rejects.toMatchObject({
    message: "resolve() of the 'getX' operation threw Error: boom",
    cause: expect.stringMatching(/ threw Error: boom at .*error-messages\.test\.ts:\d+:\d+\)?$/),
  })
  await expect(replied(failing)).rejects.toMatchObject({
    cause: expect.stringMatching(/ reply\(\) threw Error: boom at .*error-messages\.test\.ts:\d+:\d+\)?$/),
  })
})

it('asks for await where a promise is used as its result', async () => {
  const starting = startServer()
  const server = await starting
  onTestFinished(() => server.close())
  expect(() => Reflect.get(starting, 'url')).toThrow(
    'startServer().url does not exist: use await startServer()',
  )
  const connecting = connectGateway(server.url)
  const remote = await connecting
  expect(() => Reflect.get(connecting, 'reply')).toThrow(
    'connectGateway().reply does not exist: use await connectGateway()',
  )
  const creating = remote.createSandbox()
  await creating
  expect(() => Reflect.get(creating, 'reply')).toThrow(
    'createSandbox().reply does not exist: use await createSandbox()',
  )
})
