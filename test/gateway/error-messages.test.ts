/**
 * Tests error messages for common mistakes, at the entry points where users make them: one line that names
 * the field and the fix.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { validateFiles } from '../../src/cli/validate.ts'
import { formatProblem } from '../../src/lib/data-file.ts'
import { handlers } from '../../src/msw.ts'
import {
  createGateway,
  defineOperation,
  defineScenario,
  eventStream,
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
import { type CallOptions, call } from '../call.ts'

// Bypasses the types, as plain JavaScript does.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

const gateway: Any = createGateway({ timeScale: 0 })
const create = createGateway as Any
const start = startServer as Any
const folder = mkdtempSync(join(tmpdir(), 'understudy-mistakes-'))
let server: RunningServer
let remote: RemoteGateway & Any
beforeAll(async () => {
  server = await startServer()
  remote = await connectGateway(server.url)
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

/** Returns the message of the thrown error, or `no error` and the value if nothing was thrown. */
async function errorOf(mistake: () => unknown): Promise<Error> {
  try {
    return new Error(`no error: ${await mistake()}`)
  } catch (error) {
    return error as Error
  }
}

/** Returns an error reply's message, status and error type. */
function describeReply({ status, body: { error } }: Awaited<ReturnType<typeof call>>): string {
  return `${error.message} (${status} ${error.type ?? error.code})`
}

async function refusal(line: string, options?: CallOptions): Promise<string> {
  const target = { fetch: createGateway().fetch, baseUrl: 'https://gateway.example' }
  return describeReply(await call(target, line, options))
}

async function control(line: string, body?: unknown): Promise<string> {
  const options = { body: JSON.stringify(body) }
  return describeReply(await call({ baseUrl: `${server.url}/__understudy` }, line, options))
}

/** Returns the output of a command that fails with exit code 2. */
async function printed(...args: string[]): Promise<string> {
  const lines: string[] = []
  const error = vi.spyOn(console, 'error').mockImplementation((text) => void lines.push(String(text)))
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  const before = process.exitCode
  await run(args, (() => Promise.reject(new Error('started'))) as Any)
  expect(process.exitCode).toBe(2)
  process.exitCode = before
  error.mockRestore()
  write.mockRestore()
  return lines.join('\n')
}

function validated(name: string, text: string): string {
  writeFileSync(join(folder, name), text)
  return validateFiles([join(folder, name)])
    .map(formatProblem)
    .join('\n')
}

const disposed = () => {
  const sandbox = gateway.createSandbox()
  sandbox.dispose()
  return sandbox
}
const rule = (fields: object) => () => gateway.use({ on: 'createResponse', fault: 'status', ...fields })
const declared = (fields: object) => () =>
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
  throw new Error(describeReply(await ask(own)))
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

/** Throws a reply's error message. */
async function refusedOf(reply: ReturnType<typeof ask>): Promise<never> {
  return rejected(describeReply(await reply))
}

/** Returns the error in the journal: the reply's error message, followed by the header `x-understudy-reason`. */
async function reasonOf(
  options: object,
  authorization?: string,
  line = 'PATCH /workspaces/x',
): Promise<string> {
  const own = create(options)
  const [method, path] = line.split(' ')
  const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
  const reply = await own.fetch(`https://gateway.example/api/v1${path}`, { method, headers, body: '{}' })
  const { error } = own.journal.entries()[0]
  const header = reply.headers.get('x-understudy-reason')
  expect(error.replace(/[^ -~]/g, '?')).toBe(`${(await reply.json()).error.message}: ${header}`)
  return error
}

async function refusedStrictly(fields: object): Promise<string> {
  return describeReply(await ask(createGateway({ strict: true }), fields))
}

const mistakes: Record<string, [mistake: string, make: () => unknown, message: string][]> = {
  'values in the wrong form': [
    [
      'a parameter of another operation',
      () => gateway.use({ on: 'getPreset', when: { params: { id: 'x' } }, fault: 'timeout' }),
      'use(): when.params.id is not a parameter of /presets/{slug}',
    ],
    [
      'a fault parameter in the rule',
      () => gateway.use({ on: 'createResponse', fault: 'stream-cut', atEvent: 3 }),
      "use(): unknown field 'atEvent'; write fault: { name: 'stream-cut', atEvent: 3 }",
    ],
    [
      'a path in a condition',
      () => gateway.use({ on: '*', when: { path: '/x' }, fault: 'timeout' }),
      "unknown field 'when.path'; choose the endpoint with on: 'createResponse', or on: 'POST /path'",
    ],
    ['an option for a header', () => gateway.fail(429, { retryAfter: 5 }), "headers: { 'retry-after': '5' }"],
    [
      'a rateLimit without per',
      rule({ rateLimit: { requests: 3 } }),
      "rateLimit.per is required; write per: '1m'",
    ],
    [
      'a URL as a citation',
      () => gateway.reply('x', { citations: ['https://a.example'] }),
      "write { url: 'https://a.example' }",
    ],
    ['a turn as a script', () => gateway.script({ text: 'x' }), "write [{ text: 'Hello' }]"],
    ['a turn with a reply', () => gateway.script([{ reply: 'x' }]), "unknown field 'turns[0].reply'"],
    ['a name as a call', () => gateway.script([{ call: 'search' }]), 'write { search: { … } }'],
    ['text as a scenario', () => parseScenario('{}' as Any), 'parseScenario(JSON.parse(text))'],
    [
      'db.provider',
      () => gateway.db.provider,
      "db: unknown collection 'provider'; did you mean 'providers'?",
    ],
    [
      'update without changes',
      () => gateway.db.providers.update('aurora'),
      'db.providers.update(): the second argument must be an object with the fields to change, got undefined',
    ],
    [
      'a snapshot of another gateway',
      () => gateway.restore(createGateway().snapshot()),
      'it was taken in another gateway',
    ],
    [
      'trace(7)',
      () => gateway.journal.trace(7 as never),
      'journal.trace() expects a traceparent or a trace id of 32 hex digits, got 7',
    ],
    [
      "trace('abc')",
      () => gateway.journal.trace('abc'),
      "journal.trace() expects a traceparent or a trace id of 32 hex digits, got 'abc'",
    ],
    [
      "fetch('/responses')",
      () => gateway.fetch('/responses'),
      "gateway.fetch() expects an absolute URL, such as https://gateway.example/api/v1/responses, got '/responses'",
    ],
    [
      'a template with a typo',
      async () => {
        const own = createGateway()
        own.reply('{{ inptu }}')
        await ask(own)
        return rejected(own.journal.last('createResponse')?.warnings.join() ?? '')
      },
      "did you mean 'input'?",
    ],
    [
      'JSON with a trailing comma',
      () => {
        writeFileSync(
          join(folder, 'comma.json'),
          '{"name": "x", "rules": [{"on": "*", "fault": "timeout"},]}',
        )
        gateway.use(join(folder, 'comma.json'))
      },
      'comma.json:1:57: not JSON: remove the comma before ]',
    ],
    [
      'an operation without a method',
      declared({ method: undefined }),
      "method must be a string, such as 'get'",
    ],
    ['a URL as host', () => start({ host: 'http://127.0.0.1' }), 'options.host must be a host name without'],
    [
      'a port in allowedHosts',
      () => start({ allowedHosts: ['gateway:4141'] }),
      'options.allowedHosts[0] must be a host name without scheme and port',
    ],
    [
      'a host name as origin',
      () => start({ allowedOrigins: ['app.example'] }),
      'options.allowedOrigins[0] must be an origin such as https://app.example',
    ],
    [
      'connectGateway without the token',
      async () => {
        await using locked = await startServer({ token: 'secret' })
        return await connectGateway(locked.url)
      },
      'connectGateway: The server requires a token: pass connectGateway(url, { token })',
    ],
    [
      'a remote query',
      () => remote.db.providers.query(),
      "db.providers.query() works only in the gateway's process: use db.providers.list({ … })",
    ],
    [
      'a control request with an unsupported method',
      () => rejected(control('PUT /sandboxes', '')),
      '/__understudy/sandboxes allows GET, POST, HEAD',
    ],
    [
      'a disposed remote sandbox',
      async () => {
        const disposed = await remote.createSandbox()
        await disposed.dispose()
        return await disposed.use('flaky')
      },
      'was disposed: use it before dispose(), or create another sandbox',
    ],
    [
      'a control request without a sandbox',
      () => rejected(control('POST /scenarios', 'flaky')),
      'did you mean POST /__understudy/sandboxes/{sandbox}/scenarios?',
    ],
  ],
  'the journal and snapshots': [
    [
      "calls(op, 'text')",
      () => gateway.journal.calls('createResponse', 'x'),
      'journal.calls(): match must be an object such as',
    ],
    [
      'calls(op, { model })',
      () => gateway.journal.calls('createResponse', { model: 'x' }),
      'to match the body, write { body: { model: … } }',
    ],
    [
      "calls('POST /responses')",
      () => gateway.journal.calls('POST /responses'),
      "did you mean 'createResponse'?",
    ],
    ["calls('*')", () => gateway.journal.calls('*'), 'use journal.entries() for all calls'],
    [
      'waitFor(op, { timeout })',
      () => gateway.journal.waitFor('createResponse', { timeout: 9 }),
      "journal.waitFor(): unknown option 'timeout'; did you mean 'timeoutMs'?",
    ],
    [
      'waitFor(op, { count: 0 })',
      () => gateway.journal.waitFor('createResponse', { count: 0 }),
      "got 0: to assert that nothing was received, use journal.calls('createResponse').length or not.toHaveReceived()",
    ],
    [
      'explain(operation)',
      () => gateway.journal.explain('createResponse'),
      "expects a call or its id, got an operation's name; write explain(journal.last('createResponse'))",
    ],
    [
      'explain(undefined)',
      () => gateway.journal.explain(undefined),
      'journal.last() returns undefined if there is no call',
    ],
    [
      'restore({})',
      () => gateway.restore({}),
      'restore() expects a snapshot from sandbox.snapshot(), got {}',
    ],
    [
      "restore() with another sandbox's snapshot",
      () => gateway.restore(gateway.createSandbox({ id: 'other' }).snapshot()),
      "it belongs to sandbox 'other'",
    ],
  ],
  "users' functions": [
    [
      'reply(() => undefined)',
      () => replied(() => undefined),
      'it must return text or a reply object, got undefined',
    ],
    [
      "reply(() => ({ txt: 'x' }))",
      () => replied(() => ({ txt: 'x' })),
      "unknown field 'txt'; did you mean 'text'?",
    ],
    [
      'resolve: () => ({})',
      () => resolved(() => ({})),
      "resolve() of the 'getX' operation must return a reply, such as ok({ … }), got {}",
    ],
    [
      'json() with swapped arguments',
      () => resolved(() => (json as Any)({}, 201)),
      'json() expects a status and a value, as in json(201, { … }), got {}',
    ],
    [
      'eventStream() of text',
      () => resolved(() => (eventStream as Any)('Hello')),
      "eventStream() expects frames, such as [{ kind: 'event', event: { … } }], got 'Hello'",
    ],
    [
      'a GatewayError with status 200',
      () =>
        resolved(() => {
          throw new GatewayError(200)
        }),
      'threw a GatewayError with the status 200; it must be 400 to 599',
    ],
    [
      'resolve that throws',
      () =>
        resolved(() => {
          throw new Error('boom')
        }),
      "resolve() of the 'getX' operation threw Error: boom",
    ],
  ],
  'requests with a field that is not simulated': [
    [
      'n: 2 in chat, which is simulated',
      async () => {
        const own = createGateway({ extensions: ['chat'] })
        const body = { model: 'aurora/dawn-2', n: 2, messages: [{ role: 'user', content: 'Hello' }] }
        await call(own, 'POST /chat/completions', { body: JSON.stringify(body) })
        return rejected(`warnings: ${own.journal.entries()[0]?.warnings.length}`)
      },
      'warnings: 0',
    ],
    [
      'background in strict mode',
      () => rejected(refusedStrictly({ background: true })),
      'background: is not simulated: only a rule can reply to such a request',
    ],
  ],
  'requests in the form of another operation': [
    [
      'messages',
      () => refusedOf(ask(createGateway(), { input: undefined, messages: [] })),
      "input: is required; 'messages' is for POST /chat/completions",
    ],
    [
      'a tool with a function',
      () => refusedOf(ask(createGateway(), { tools: [{ type: 'function', function: { name: 'x' } }] })),
      "tools[0].name: is required; 'function' is for POST /chat/completions",
    ],
    [
      'previous_response_id',
      () => refusedOf(ask(createGateway(), { previous_response_id: 'resp_1' })),
      'or set the storedResponses option',
    ],
  ],
  "other libraries' names": [
    ["clock.set('…')", () => gateway.clock.set('2026-02-01'), "clock.set does not exist: use advance('1h')"],
    ['a remote clock.set()', () => remote.clock.set(), "clock.set does not exist: use advance('1h')"],
    [
      'a remote journal.requests()',
      () => remote.journal.requests(),
      'journal.requests does not exist: use entries()',
    ],
    ['a remote close()', () => remote.close(), 'sandbox.close does not exist: use dispose()'],
    ['db.providers.find()', () => gateway.db.providers.find(), 'records.find does not exist: use list('],
    ['gateway.handlers()', () => gateway.handlers(), 'use handlers(gateway) of gateway-understudy/msw'],
    ['gateway.close()', () => gateway.close(), 'sandbox.close does not exist: use dispose()'],
    [
      'journal.requests()',
      () => gateway.journal.requests(),
      'journal.requests does not exist: use entries()',
    ],
  ],
  'arguments of the wrong kind': [
    [
      'handlers(gateway, […])',
      () => (handlers as Any)(gateway, ['createResponse']),
      "as in handlers(gateway, 'createResponse')",
    ],
    [
      'handlers for a disabled extension',
      () => handlers(gateway, 'createChatCompletion'),
      "enable it with createGateway({ extensions: ['chat'] })",
    ],
    [
      "intercept(gateway, 'error')",
      () => (intercept as Any)(gateway, 'error'),
      'such as { onUnhandledRequest: … }',
    ],
    ['journalText(entries)', () => (journalText as Any)([]), 'journalText() expects a title and entries'],
    ['defineScenario([…])', () => (defineScenario as Any)([]), "write { name: '…', rules: [ … ] }"],
    [
      'operations that are not a list',
      () => create({ operations: {} }),
      'options.operations must be a list, got {}; write […]',
    ],
    [
      'a fork with an invalid id',
      () => gateway.fork('x y'),
      'fork(): id: must be 1 to 64 lowercase letters and digits',
    ],
    [
      'a fork with an id that is in use',
      () => [gateway.fork('twin'), gateway.fork('twin')],
      "fork(): Sandbox 'twin' already exists: dispose it first, or choose another id",
    ],
    [
      'fixtures of an unknown collection',
      () => gateway.createSandbox({ fixtures: { provider: [] } }),
      "fixtures.provider: unknown field; did you mean 'providers'?",
    ],
    [
      'create() without a record',
      () => gateway.db.providers.create(),
      'db.providers.create() expects one record',
    ],
    ['list(function)', () => gateway.db.providers.list(() => true), 'use query()'],
    [
      'calls() without an operation',
      () => gateway.journal.calls(),
      "journal.calls() expects an operation such as 'createResponse'",
    ],
    [
      'a remote restore({})',
      () => remote.restore({}),
      'restore() expects a snapshot from sandbox.snapshot(), got {}',
    ],
    ['use() of a text file', () => gateway.use('./x.txt'), 'its name must end in .yaml, .yml or .json'],
  ],
  'rejections whose message the specification sets': [
    ['no key', () => rejected(reasonOf({}, undefined)), 'send Authorization: Bearer <key>, with any key'],
    [
      'an unlisted key',
      () => rejected(reasonOf({ apiKeys: ['k1'] }, 'Bearer k2')),
      'Invalid API key: the key is not in the apiKeys option: send one of those, or sandbox.apiKey',
    ],
    [
      'a workspace that does not exist',
      () => rejected(reasonOf({}, 'Bearer any', 'PATCH /workspaces/caf%C3%A9')),
      "no workspace has the id or slug 'caf\u00e9'; expected one of production, staging",
    ],
  ],
  'replies that a real gateway would not send': [
    [
      'a call to a tool that the request does not offer',
      async () => {
        const own = createGateway()
        own.script([{ call: { serch: {} } }, { text: 'x' }])
        await ask(own, { tools: [{ type: 'function', name: 'search' }] })
        return rejected(own.journal.last('createResponse')?.warnings.join() ?? '')
      },
      "the script calls 'serch', but the request's tools do not include it; did you mean 'search'?",
    ],
    [
      "a host other than baseUrl's",
      async () => {
        const own = createGateway({ baseUrl: 'https://ours.example/api/v1' })
        await own.fetch('https://ours.example/api/v1/providers')
        await own.fetch('https://other.example/api/v1/providers')
        return rejected(
          own.journal
            .entries()
            .map(({ warnings }) => warnings.join())
            .join(';'),
        )
      },
      ";https://other.example is not the origin of the gateway's baseUrl, https://ours.example/api/v1",
    ],
  ],
  'files that cannot be parsed': [
    [
      'a name without quotes',
      () => used('a.json', '{"name": "x",\n rules: []}'),
      'a.json:2:2: not JSON: write the name in double quotes',
    ],
    ['a comment', () => used('b.json', '{\n  // x\n}'), 'b.json:2:3: not JSON: comments are not allowed'],
    [
      'truncated JSON',
      () => used('c.json', '{"rules": ['),
      'c.json:1:12: not JSON: a bracket or quote is not closed',
    ],
    ['single quotes', () => used('d.json', "{'name': 1}"), 'd.json:1:2: not JSON: write double quotes'],
    [
      'no comma',
      () => used('e.json', '{"a": 1 "b": 2}'),
      "e.json:1:9: not JSON: expected ',' or '}' after property value",
    ],
    [
      'YAML with an open bracket',
      () => used('a.yaml', 'rules:\n  - on: [x\n    fault: y\n'),
      'a.yaml:3:5: not YAML: indent this line more, or close the bracket or quote above it',
    ],
    ['an empty file', () => used('f.yaml', ''), 'f.yaml: is empty'],
    ['YAML with a bare star', () => used('g.yaml', 'on: *\n'), 'not YAML: quote text that begins with *'],
    ['YAML with tabs', () => used('b.yaml', 'a:\n\tb: 1\n'), 'not YAML: indent with spaces instead of tabs'],
    [
      'YAML with a duplicate key',
      () => used('c.yaml', 'a: 1\na: 2\n'),
      'c.yaml:2:1: not YAML: this key occurs twice',
    ],
    ['YAML with an open quote', () => used('d.yaml', "a: 'x"), 'not YAML: a quote is not closed'],
  ],
  createGateway: [
    [
      '{ apiKeys: [] }',
      () => create({ apiKeys: [] }),
      'options.apiKeys must not be empty: omit it to accept any key',
    ],
    [
      'a row with a field of another API',
      () => create({ fixtures: { providers: [{ id: 'ours' }] } }),
      "unknown field 'options.fixtures.providers[0].id'; expected one of 7, such as name, slug",
    ],
    [
      "createGateway('flaky')",
      () => create('flaky'),
      "createGateway expects an options object such as { seed: 7 }, got 'flaky'",
    ],
    [
      '{ seeed: 1 }',
      () => create({ seeed: 1 }),
      "createGateway: unknown option 'seeed'; did you mean 'seed'?",
    ],
    [
      '{ limits: { max: 3 } }',
      () => create({ limits: { max: 3 } }),
      "createGateway: unknown option 'limits.max'; expected one of 6, such as requestBodyBytes, journalEntries, journalBytes, journalBodyBytes, sandboxes",
    ],
    ['{ port: 4141 }', () => create({ port: 4141 }), 'options.port is a startServer option'],
    [
      "{ scenarios: 'flaky' }",
      () => create({ scenarios: 'flaky' }),
      "createGateway: options.scenarios must be a list, got 'flaky'; write ['flaky']",
    ],
    [
      "{ scenarios: ['flakey'] }",
      () => create({ scenarios: ['flakey'] }),
      "Unknown scenario 'flakey'; did you mean 'flaky'?",
    ],
    [
      "{ extensions: ['chats'] }",
      () => create({ extensions: ['chats'] }),
      "options.extensions[0] must be 'chat', 'messages', 'models' or 'management', got 'chats'; did you mean 'chat'?",
    ],
    [
      "{ baseUrl: 'https://gateway.example' }",
      () => create({ baseUrl: 'https://gateway.example' }),
      'options.baseUrl must be a URL that ends in /api/v1',
    ],
    ["{ timeScale: '0' }", () => create({ timeScale: '0' }), "options.timeScale must be a number, got '0'"],
  ],
  fixtures: [
    [
      '{ fixtures: { provider: [] } }',
      () => create({ fixtures: { provider: [] } }),
      "createGateway: unknown option 'fixtures.provider'; did you mean 'providers'?",
    ],
    [
      'a provider without its slug',
      () => create({ fixtures: { providers: [{ name: 'x' }] } }),
      'providers[0].slug',
    ],
    ['presets without their versions', () => create({ fixtures: { presets: [] } }), 'presetVersions'],
  ],
  startServer: [
    ['{ prot: 3 }', () => start({ prot: 3 }), "startServer: unknown option 'prot'; did you mean 'port'?"],
    ["{ port: '4141' }", () => start({ port: '4141' }), "options.port must be 0 to 65535, got '4141'"],
    ['startServer(4141)', () => start(4141), 'startServer expects an options object'],
    [
      "{ allowedHosts: 'a.example' }",
      () => start({ allowedHosts: 'a.example' }),
      "startServer: options.allowedHosts must be a list, got 'a.example'; write ['a.example']",
    ],
    [
      '{ gateway, seed: 2 }',
      () => start({ gateway, seed: 2 }),
      'options.seed cannot be combined with options.gateway',
    ],
    [
      'a port in use',
      () => start({ port: server.port }),
      'is in use: choose another port, or 0 for any free port',
    ],
  ],
  scenarios: [
    [
      "use('timeout')",
      () => gateway.use('timeout'),
      "'timeout' is a fault, not a scenario: use({ on: '*', fault: 'timeout' })",
    ],
    [
      "use(['flaky'])",
      () => gateway.use(['flaky']),
      'use(): a scenario must be { name, rules: […] } or a single rule, got a list: wrap the rules in { name, rules: […] }, or pass them one at a time',
    ],
    [
      "use('./nope.yaml')",
      () => gateway.use('./nope.yaml'),
      `./nope.yaml: no such file (looked for ${process.cwd()}/nope.yaml)`,
    ],
    ["on: 'createRespons'", rule({ on: 'createRespons' }), "did you mean 'createResponse'?"],
    [
      "on: 'createChatCompletion'",
      rule({ on: 'createChatCompletion' }),
      "it belongs to the 'chat' extension: enable it with createGateway({ extensions: ['chat'] })",
    ],
    [
      "on: 'POST /api/v1/other'",
      rule({ on: 'POST /api/v1/other' }),
      "a path below /api/v1, as in 'POST /other'",
    ],
    ["on: 'GET /providers'", rule({ on: 'GET /providers' }), "is an operation: use its id 'listProviders'"],
    [
      "fault: 'time-out'",
      rule({ fault: 'time-out' }),
      "use(): fault 'time-out' is unknown; did you mean 'timeout'?",
    ],
    [
      "{ name: 'latency', ms: '2000' }",
      rule({ fault: { name: 'latency', ms: '2000' } }),
      "use(): fault.ms must be milliseconds, or a duration such as '500ms', '10s' or '1m', got '2000'",
    ],
    [
      'a RegExp in when.body',
      rule({ when: { body: { model: /aurora/ } } }),
      'use(): when.body.model: a RegExp (/aurora/) is not supported; write { matches: "aurora" }',
    ],
    [
      'when: { modle }',
      rule({ when: { modle: 'x' } }),
      "use(): unknown field 'when.modle'; did you mean 'model'?",
    ],
    ['times: 0', rule({ times: 0 }), 'use(): times must be 1 or more, got 0: to disable a rule, remove it'],
    [
      'probability: 50',
      rule({ probability: 50 }),
      'use(): probability must be 0 to 1, got 50; write 0.5 for 50 %',
    ],
    [
      'a stream fault on a list',
      rule({ on: 'listProviders', fault: 'stream-cut' }),
      "'listProviders' does not have: use it on 'text'",
    ],
    [
      'a rule that does nothing',
      () => gateway.use({ on: '*' }),
      'add a fault, a reply, a sequence or a script',
    ],
    ['parseScenario(text)', () => parseScenario('{}'), 'parseScenario expects parsed JSON, not text'],
  ],
  'reply, fail and script': [
    ['fail(503, 2)', () => gateway.fail(503, 2), 'as in fail(503, { times: 2 })'],
    [
      'fail({ status: 503 })',
      () => gateway.fail({ status: 503 }),
      'fail(): status must be a number, got an object; write fail(503)',
    ],
    [
      'fail(503, { time: 2 })',
      () => gateway.fail(503, { time: 2 }),
      "fail(): unknown option 'time'; did you mean 'times'?",
    ],
    [
      'reply([])',
      () => gateway.reply([]),
      "reply(): the first argument must be text, a reply or a function, as in reply('Hello', { times: 2 }), got []",
    ],
    ["reply('{{#input}}')", () => gateway.reply('{{#input}}'), '{{#input}} is not a path'],
    ["script([{ txt: 'x' }])", () => gateway.script([{ txt: 'x' }]), "did you mean 'text'?"],
    [
      'reply() on a disposed sandbox',
      () => disposed().reply('x'),
      "Sandbox 's1' was disposed: use it before dispose(), or create another sandbox",
    ],
  ],
  'sandboxes, database and journal': [
    [
      'createSandbox({ sede: 2 })',
      () => gateway.createSandbox({ sede: 2 }),
      "createSandbox: unknown option 'sede'; did you mean 'seed'?",
    ],
    [
      "run('s1', work)",
      () => gateway.run('s1', () => 1),
      "run() expects a sandbox object from createSandbox(), got the string 's1'",
    ],
    [
      'restore() without a snapshot',
      () => gateway.restore(undefined),
      'restore() expects a snapshot from sandbox.snapshot(), got undefined',
    ],
    [
      "clock.advance('soon')",
      () => gateway.clock.advance('soon'),
      "clock.advance(): expected a duration of up to ten years, in milliseconds or as a string such as '1m', but got 'soon'",
    ],
    [
      'db.providers.query({ … })',
      () => gateway.db.providers.query({ name: 'Aurora' }),
      'db.providers.query() expects a function, got an object; write query((q) => q.where({ … })), or list({ … })',
    ],
    [
      "db.providers.update('nobody', …)",
      () => gateway.db.providers.update('nobody', {}),
      "providers has no record 'nobody'; expected one of 12, such as aurora",
    ],
    [
      "journal.calls('createRespons')",
      () => gateway.journal.calls('createRespons'),
      "Unknown operation 'createRespons'; did you mean 'createResponse'?",
    ],
    [
      "calls('createResponse', { boddy })",
      () => gateway.journal.calls('createResponse', { boddy: {} }),
      "A call has no field 'boddy'; did you mean 'body'?",
    ],
    [
      "waitFor('listProviders', 2)",
      () => gateway.journal.waitFor('listProviders', 2),
      "journal.waitFor(): the second argument must be an object, as in waitFor('listProviders', { count: 2, timeoutMs: 1000 }), got 2",
    ],
  ],
  'MSW and intercept': [
    [
      "handlers(gateway, 'createRespons')",
      () => handlers(createGateway(), 'createRespons' as Any),
      "did you mean 'createResponse'?",
    ],
    [
      'intercept()',
      () => (intercept as Any)(),
      'intercept() expects a gateway, as in intercept(createGateway())',
    ],
    [
      "{ onUnhandledRequests: 'error' }",
      () => (intercept as Any)(gateway, { onUnhandledRequests: 'error' }),
      "did you mean 'onUnhandledRequest'?",
    ],
    [
      "{ onUnhandledRequest: 'ignore' }",
      () => (intercept as Any)(gateway, { onUnhandledRequest: 'ignore' }),
      "intercept: options.onUnhandledRequest must be 'guard', 'error', 'warn' or 'bypass', got 'ignore'",
    ],
  ],
  connectGateway: [
    [
      'connectGateway(undefined)',
      () => (connectGateway as Any)(undefined),
      'connectGateway() expects the URL of a running server, such as http://127.0.0.1:4141, got undefined',
    ],
    ["connectGateway('localhost:4141')", () => connectGateway('localhost:4141'), "got 'localhost:4141'"],
    [
      'a port without a server',
      () => connectGateway('http://127.0.0.1:9'),
      'start one with `npx gateway-understudy`',
    ],
    ['use() without a scenario', () => remote.use(undefined), 'got undefined'],
    ['reply(function)', () => remote.reply(() => 'x'), "a function works only in the gateway's process"],
    [
      "journal.calls('createRespons')",
      () => remote.journal.calls('createRespons'),
      "did you mean 'createResponse'?",
    ],
    ['createSandbox({ sede })', () => remote.createSandbox({ sede: 1 }), "did you mean 'seed'?"],
    ['db.provider', () => remote.db.provider.list(), "collection: must be one of 'providers', "],
  ],
  'Vitest matchers': [
    [
      "toHaveReceived('creatResponse')",
      () => (vitestExpect(gateway) as Any).toHaveReceived('creatResponse'),
      "Unknown operation 'creatResponse'; did you mean 'createResponse'?",
    ],
    [
      'expect(undefined)',
      () => (vitestExpect(undefined) as Any).toHaveReceived('createResponse'),
      'expect(): this matcher requires a gateway or a sandbox, got undefined',
    ],
    [
      'a journal entry as `match`',
      () => (vitestExpect(gateway) as Any).toHaveReceived('createResponse', { request: {} }),
      "A call has no field 'request'",
    ],
  ],
  requests: [
    [
      'a header that names an unknown scenario',
      () =>
        rejected(
          refusal('GET /api/v1/providers', {
            headers: { authorization: 'Bearer a', 'x-understudy-scenario': 'flakey' },
          }),
        ),
      "did you mean 'flaky'?",
    ],
  ],
  'control requests': [
    ['GET /sandboxe', () => rejected(control('GET /sandboxe')), 'did you mean GET /__understudy/sandboxes?'],
    [
      'a path for a scenario',
      () => rejected(control('POST /sandboxes/default/scenarios', './x.yaml')),
      "send the file's content instead",
    ],
    [
      'an unknown sandbox',
      () => rejected(control('GET /sandboxes/s99/journal')),
      'or was never created: create one with createSandbox() or POST /__understudy/sandboxes',
    ],
    [
      "{ ms: '1000' }",
      () => rejected(control('POST /sandboxes/default/clock/advance', { ms: '1000' })),
      "ms: must be milliseconds, or a duration such as '500ms', '10s' or '1m', got '1000'",
    ],
  ],
  commands: [
    ['serv', () => rejected(printed('serv')), "Unknown command 'serv'; did you mean 'serve'?"],
    ['--prot 3', () => rejected(printed('--prot', '3')), '--port'],
    [
      '--port abc',
      () => rejected(printed('--port', 'abc')),
      'A port must be a whole number from 0 to 65535.',
    ],
    ['--scenario flakey', () => rejected(printed('--scenario', 'flakey')), "did you mean 'flaky'?"],
    [
      '--latency slow',
      () => rejected(printed('--latency', 'slow')),
      'see --help, or set it in the --config file',
    ],
    ['--config nope.yaml', () => rejected(printed('--config', 'nope.yaml')), 'nope.yaml: no such file'],
    [
      'validate config.yaml, with a typo',
      () => rejected(validated('config.yaml', 'seed: 3\ntimescale: 0\n')),
      "config.yaml:1:1: unknown option 'timescale'; did you mean 'timeScale'?",
    ],
    [
      'validate rule.yaml, with a typo',
      () => rejected(validated('rule.yaml', 'on: createRespons\nfault: status\n')),
      "did you mean 'createResponse'?",
    ],
  ],
}

/** Throws a message that a mistake returned instead of throwing it. */
async function rejected(message: string | Promise<string>): Promise<never> {
  throw new Error(await message)
}

describe.each(Object.entries(mistakes))('mistakes: %s', (_, list) => {
  it.each(list)('are reported on one line: %s', async (_title, make, expected) => {
    const error = await errorOf(make)
    expect(error.message).toContain(expected)
    expect(error.message.trim()).not.toContain('\n')
  })
})

it('a configuration file without mistakes is valid', () => {
  expect(validated('good.yaml', 'seed: 3\nscenarios: [flaky]\n')).toBe('')
})

it('the journal states where a resolver threw', async () => {
  const failing = resolved(() => {
    throw new Error('boom')
  })
  await expect(failing).rejects.toMatchObject({
    message: "resolve() of the 'getX' operation threw Error: boom",
    cause: expect.stringMatching(/ threw Error: boom at .*error-messages\.test\.ts:\d+:\d+\)?$/),
  })
})
