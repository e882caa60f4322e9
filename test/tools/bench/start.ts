/**
 * From the start of the process to the first reply, and what importing an entry costs.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { extensionNames } from '../../../src/sandbox/options-input.ts'
import { type Bench, compare, type Figure, type Section } from './measure.ts'

/** Bare `node:http` that answers, and says on which port: the floor of a start. */
const bare = `
import { createServer } from 'node:http'
const body = JSON.stringify({ data: [] })
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log('http://127.0.0.1:' + server.address().port))
`

export const start: Section = {
  name: 'start',
  title: 'Start, time on the wall',
  async run(bench) {
    bench.progress('start to first reply')
    const server = fileURLToPath(bench.entry('bin'))
    const floor = () => firstReply(['--input-type=module', '--eval', bare])
    const ours = () => firstReply([server, '--port', '0', '--json'])
    const first = await compare(bench.rounds, floor, ours)
    const figures: Figure[] = [
      {
        name: 'Start of the server to the first reply',
        value: first.ratio,
        unit: 'x',
        aim: 1.5,
        detail: `${first.ours.median.toFixed(0)} ms against ${first.floor.median.toFixed(0)} ms of bare node:http`,
      },
    ]
    const extended = () => firstReply([server, '--port', '0', '--json', ...everyExtension])
    const extensions = await compare(bench.rounds, extended, ours)
    figures.push({
      name: 'Start without extensions, against one with all of them',
      value: extensions.ratio,
      unit: 'x',
      aim: 1,
      detail: `${extensions.ours.median.toFixed(0)} ms against ${extensions.floor.median.toFixed(0)} ms`,
    })
    const nothing = await cpuOfProcess('0')
    const msw = await compare(
      bench.rounds,
      () => cpuOfProcess("(await import('msw/node')).setupServer().listen()").then((cpu) => cpu - nothing),
      () => cpuOfProcess(interception(bench)).then((cpu) => cpu - nothing),
    )
    figures.push({
      name: 'What interception costs a test file, against msw/node',
      value: msw.ratio,
      unit: 'x',
      aim: 0.6,
      detail: `${msw.ours.median.toFixed(0)} ms against ${msw.floor.median.toFixed(0)} ms of processor time`,
    })
    const called = await compare(
      bench.rounds,
      () => cpuOfProcess(`${mswHandler}; ${oneCall}`).then((cpu) => cpu - nothing),
      () => cpuOfProcess(`${interception(bench)}; ${oneCall}`).then((cpu) => cpu - nothing),
    )
    figures.push({
      name: 'The same with one call by fetch',
      value: called.ratio,
      unit: 'x',
      detail: `${called.ours.median.toFixed(0)} ms against ${called.floor.median.toFixed(0)} ms of processor time`,
    })
    for (const name of ['index', 'msw', 'node', 'serve', 'remote']) {
      if (existsSync(new URL(bench.entry(name)))) figures.push(await importTime(name, bench))
    }
    return figures
  },
}

const everyExtension = extensionNames.flatMap((name) => ['--extension', name])

const url = 'https://gateway.example/api/v1/providers'
const oneCall = `await (await fetch('${url}', { headers: { authorization: 'Bearer any' } })).text()`
const mswHandler = `const { http, HttpResponse } = await import('msw')
const { setupServer } = await import('msw/node')
setupServer(http.get('${url}', () => HttpResponse.json({ data: [] }))).listen()`

function interception(bench: Bench): string {
  return `const { createGateway, intercept } = await import('${bench.entry('node')}'); intercept(createGateway())`
}

/** Milliseconds of processor time of a process that runs this. */
async function cpuOfProcess(code: string): Promise<number> {
  const told =
    'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000); process.exit()'
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${code}; ${told}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return Number(await text(child.stdout))
}

/** Milliseconds from spawning a server to the end of its first reply. It says where it listens in its first line. */
async function firstReply(args: readonly string[]): Promise<number> {
  const begin = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    said += text
    if (said.includes('\n')) break
  }
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
  if (!origin) throw new Error(`The server did not say where it listens, but: ${said}`)
  const response = await fetch(`${origin}/api/v1/providers`, { headers: { authorization: 'Bearer bench' } })
  await response.text()
  const took = performance.now() - begin
  child.kill('SIGKILL')
  await once(child, 'exit')
  return took
}

async function importTime(name: string, bench: Bench): Promise<Figure> {
  bench.progress(`import of ${name}`)
  const run = (code: string) => async () => {
    const begin = performance.now()
    const args = ['--input-type=module', '--eval', `${code}; process.exit()`]
    await once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit')
    return performance.now() - begin
  }
  const result = await compare(bench.rounds, run('0'), run(`await import('${bench.entry(name)}')`))
  return {
    name: `Process that imports the entry '${name}'`,
    value: result.ours,
    unit: 'ms',
    detail: `Node itself takes ${result.floor.median.toFixed(0)} ms`,
  }
}
