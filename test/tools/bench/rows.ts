/** The rows of the benchmark. Each compares a path with the least that could do it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { capture, connections, Load, type Request, startWorker, toBytes, type Worker } from './load.ts'
import { type Cost, median } from './measure.ts'

export interface Row {
  name: string
  unit: 'µs' | 'ms'
  /** Prepares the floor. Given a folder of built entries, prepares a build. */
  floor(stack: AsyncDisposableStack, entries: string): Promise<Cost> | Cost
  ours(stack: AsyncDisposableStack, entries: string): Promise<Cost> | Cost
}

const model = 'aurora/large'
const words = Array.from({ length: 200 }, (_, index) => `word${index % 10}`).join(' ')
const tellStory = {
  scenarios: [{ name: 'story', rules: [{ on: 'createResponse', reply: { text: words } }] }],
}
const slowly = { name: 'slow-stream', firstToken: 0, perToken: 50 }
const tellSlowly = {
  scenarios: [
    { name: 'slow', rules: [{ on: 'createResponse', reply: { text: words.slice(0, 120) }, fault: slowly }] },
  ],
}
const rows60 = { recordCounts: { providers: 60 } }
const workspace = '/api/v1/workspaces/11111111-1111-4111-8111-111111111111'

/** Returns requests that differ from each other, to avoid cache hits. */
function various(make: (index: number) => Request): Request[] {
  return Array.from({ length: 1000 }, (_, index) => make(index + 1000))
}

const post = (fields: object = {}, path = '/api/v1/responses') =>
  various((index) => ({
    method: 'POST',
    path,
    body: { model, input: `What follows from ${index}?`, ...fields },
  }))
const listProviders = [{ method: 'GET', path: '/api/v1/providers' }]
const patches = various((index) => ({
  method: 'PATCH',
  path: workspace,
  body: { name: `Workspace ${index}` },
}))

/** CPU time per request of a server, over a socket. */
async function cpuOfServer(stack: AsyncDisposableStack, worker: Worker, requests: Request[], count: number) {
  stack.use(worker)
  const bytes = requests.map(toBytes)
  return async () => {
    // Connects anew, because servers close connections that were idle during the other sides' rounds.
    const load = new Load(worker.port)
    await load.send(connections, bytes)
    const before = await worker.cpu()
    await load.send(count, bytes)
    const cost = ((await worker.cpu()) - before) / count
    load.close()
    return cost
  }
}

function request(name: string, requests: Request[], options: object, count: number): Row {
  const server = (entries: string) => startWorker({ kind: 'server', entries, options })
  return {
    name: `${name}, compared with node:http`,
    unit: 'µs',
    async floor(stack, entries) {
      await using subject = await server(entries)
      const reply = await capture(subject.port, requests[0] as Request)
      return cpuOfServer(stack, await startWorker({ kind: 'floor', reply }), requests, count)
    },
    ours: async (stack, entries) => cpuOfServer(stack, await server(entries), requests, count),
  }
}

/** CPU time per call in a process. The code returns the function to call. */
function calls(name: string, floor: string, ours: string, count: number): Row {
  const prepare = async (stack: AsyncDisposableStack, entries: string, code: string) => {
    const setup = `const entries = ${JSON.stringify(entries)}; const url = 'https://gateway.example/api/v1/providers'
      const headers = { authorization: 'Bearer bench' }
      const { createGateway } = await load(entries + 'index.js')
      const gateway = createGateway(${JSON.stringify(rows60)})
      const reply = await gateway.fetch(url, { headers }), body = await reply.text()
      const init = { status: reply.status, headers: [...reply.headers] };`
    const worker = stack.use(await startWorker({ kind: 'calls', code: setup + code }))
    return async () => (await worker.cpu(count)) / count
  }
  return {
    name,
    unit: 'µs',
    floor: (stack, entries) => prepare(stack, entries, floor),
    ours: (stack, entries) => prepare(stack, entries, ours),
  }
}

const fetchAll = 'return async () => (await fetch(url, { headers })).text()'

/** Elapsed or CPU time of a whole process. */
function program(name: string, floor: string, ours: (entries: string) => string): Row {
  return {
    name,
    unit: 'ms',
    floor: () => () => run(floor),
    ours: (_stack, entries) => () => run(ours(entries)),
  }
}

/** Runs code that prints `ready` and an address, or the CPU time in milliseconds at its end. */
async function run(code: string): Promise<number> {
  const begin = performance.now()
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (!code.includes('listening')) return Number(await text(child.stdout))
  const [output] = await once(child.stdout.setEncoding('utf8'), 'data')
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
  const response = await fetch(`${origin}/api/v1/providers`, { headers: { authorization: 'Bearer bench' } })
  await response.text()
  const elapsed = performance.now() - begin
  child.kill('SIGKILL')
  return elapsed
}

const printCpu =
  '; const { user, system } = process.cpuUsage(); console.log((user + system) / 1000); process.exit()'
const oneCall = `await (await fetch('https://gateway.example/api/v1/providers',
  { headers: { authorization: 'Bearer bench' } })).text()`
const bareServer = `// listening
  import { createServer } from 'node:http'
  const server = createServer((_, response) => response.end('{"data":[]}'))
  server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))`
const mswFile = `const { http, HttpResponse } = await import('msw'); const { setupServer } = await import('msw/node')
  setupServer(http.get('https://gateway.example/*', () => HttpResponse.json({ data: [] }))).listen(); `

/** 1,000 streams at 20 events a second, which arrive over a second. */
function paced(name: string, unit: 'µs' | 'ms', measure: (worker: Worker) => Promise<number>): Row {
  return {
    name: `1,000 streams at 20 events a second, ${name}`,
    unit,
    async floor(stack, entries) {
      await using subject = await startWorker({ kind: 'server', entries, options: tellStory })
      const reply = await capture(subject.port, post({ stream: true })[0] as Request)
      const worker = stack.use(await startWorker({ kind: 'floor', reply: { ...reply, pauseMs: 50 } }))
      return () => measure(worker)
    },
    async ours(stack, entries) {
      const worker = stack.use(await startWorker({ kind: 'server', entries, options: tellSlowly }))
      return () => measure(worker)
    },
  }
}

async function cpuOfStreams(worker: Worker): Promise<number> {
  const before = await worker.cpu()
  await openStreams(worker.port)
  return ((await worker.cpu()) - before) / 1000
}

async function firstEvent(worker: Worker): Promise<number> {
  return median(await openStreams(worker.port), 0.99)
}

/** Opens the streams and reads them to their ends. Returns each time to the first byte, in milliseconds. */
async function openStreams(port: number): Promise<number[]> {
  const waits: number[] = []
  const [bytes] = post({ stream: true }).map(toBytes)
  const streams = Array.from({ length: 1000 }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index))
    const load = new Load(port, 1)
    const begin = performance.now()
    load.onFirstByte(() => waits.push(performance.now() - begin))
    await load.send(1, [bytes as Buffer])
    load.close()
  })
  await Promise.all(streams)
  return waits
}

export const rows: readonly Row[] = [
  program(
    'Server start to first reply, compared with node:http',
    bareServer,
    (entries) => `// listening
      process.argv.push('bin', '--port', '0', '--json'); await import('${entries}bin.js')`,
  ),
  program(
    'A test file: intercept and one fetch, compared with MSW',
    mswFile + oneCall + printCpu,
    (entries) =>
      `const { createGateway, intercept } = await import('${entries}node.js'); intercept(createGateway()); ${oneCall}${printCpu}`,
  ),
  request('GET /providers, 60 rows', listProviders, rows60, 1000),
  request('PATCH /workspaces/{id}', patches, {}, 1000),
  request('POST /responses', post(), {}, 1000),
  request('POST /responses, streamed, 200 deltas', post({ stream: true }), tellStory, 150),
  {
    ...request('POST /responses', post(), {}, 1000),
    name: 'POST /responses, compared with phantomllm',
    floor: async (stack) => {
      const peer = await startWorker({ kind: 'peer', text: 'A ready answer of a few words.' })
      return cpuOfServer(stack, peer, post({}, '/v1/responses'), 1000)
    },
  },
  paced('CPU time', 'µs', cpuOfStreams),
  paced('first event, p99', 'ms', firstEvent),
  calls(
    'gateway.fetch, compared with a prepared Response',
    'return async () => new Response(body, init).text()',
    'return async () => (await gateway.fetch(url, { headers })).text()',
    1000,
  ),
  calls(
    "Intercepted fetch, compared with undici's MockAgent",
    `const { MockAgent, setGlobalDispatcher } = await load('undici'); const agent = new MockAgent()
     agent.get('https://gateway.example').intercept({ path: '/api/v1/providers' }).reply(200, body).persist()
     setGlobalDispatcher(agent); ${fetchAll}`,
    `const { intercept } = await load(entries + 'node.js'); intercept(gateway); ${fetchAll}`,
    1000,
  ),
  calls(
    'MSW handlers, compared with one MSW handler',
    `const { http, HttpResponse } = await load('msw'); const { setupServer } = await load('msw/node')
     setupServer(http.get(url, () => new HttpResponse(body, init))).listen(); ${fetchAll}`,
    `const { handlers } = await load(entries + 'msw.js'); const { setupServer } = await load('msw/node')
     setupServer(...handlers(gateway)).listen(); ${fetchAll}`,
    300,
  ),
  ...['gateway.createSandbox().dispose()', 'used.fork().dispose()', 'used.reset()'].map((act) =>
    calls(
      `${act}, compared with GET /providers`,
      'return async () => (await gateway.fetch(url, { headers })).text()',
      `const used = gateway.createSandbox(); await used.db.workspaces.update('production', { name: 'Used' })
       return () => ${act}`,
      500,
    ),
  ),
]
