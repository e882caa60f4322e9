/** Measures the time from process start to the first reply, and the cost of importing an entry. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { extensionNames } from '../../../src/sandbox/options-input.ts'
import { binaryPath } from '../binary/index.ts'
import { type Bench, compare, type Figure, type Section } from './measure.ts'

/** Baseline for the startup time: bare `node:http` that prints its port. */
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
  title: 'Start, elapsed time',
  async run(bench) {
    bench.progress('start to first reply')
    const server = fileURLToPath(bench.entry('bin'))
    const baseline = () => firstReply(['--input-type=module', '--eval', bare])
    const ours = () => firstReply([server, '--port', '0', '--json'])
    const first = await compare(bench.rounds, baseline, ours)
    const figures: Figure[] = [
      {
        name: 'From server start to the first reply',
        value: first.ratio,
        unit: 'x',
        aim: 1.5,
        detail: `${first.ours.median.toFixed(0)} ms vs. ${first.baseline.median.toFixed(0)} ms for bare node:http`,
      },
    ]
    const extended = () => firstReply([server, '--port', '0', '--json', ...everyExtension])
    const extensions = await compare(bench.rounds, extended, ours)
    figures.push({
      name: 'Start without extensions, compared with all of them enabled',
      value: extensions.ratio,
      unit: 'x',
      aim: 1,
      detail: `${extensions.ours.median.toFixed(0)} ms vs. ${extensions.baseline.median.toFixed(0)} ms`,
    })
    const binary = binaryPath()
    if (existsSync(binary)) {
      const alone = await compare(bench.rounds, ours, () => firstReply(['--port', '0', '--json'], binary))
      figures.push({
        name: 'Start of the single executable, compared with Node and dist/bin.js',
        value: alone.ratio,
        unit: 'x',
        aim: 1.5,
        detail: `${alone.ours.median.toFixed(0)} ms vs. ${alone.baseline.median.toFixed(0)} ms`,
      })
    }
    const nothing = await cpuOfProcess('0')
    const msw = await compare(
      bench.rounds,
      () => cpuOfProcess("(await import('msw/node')).setupServer().listen()").then((cpu) => cpu - nothing),
      () => cpuOfProcess(interception(bench)).then((cpu) => cpu - nothing),
    )
    figures.push({
      name: 'Cost of interception per test file, compared with msw/node',
      value: msw.ratio,
      unit: 'x',
      aim: 0.6,
      detail: `${msw.ours.median.toFixed(0)} ms vs. ${msw.baseline.median.toFixed(0)} ms of CPU time`,
    })
    const called = await compare(
      bench.rounds,
      () => cpuOfProcess(`${mswHandler}; ${oneCall}`).then((cpu) => cpu - nothing),
      () => cpuOfProcess(`${interception(bench)}; ${oneCall}`).then((cpu) => cpu - nothing),
    )
    figures.push({
      name: 'The same, including one fetch',
      value: called.ratio,
      unit: 'x',
      detail: `${called.ours.median.toFixed(0)} ms vs. ${called.baseline.median.toFixed(0)} ms of CPU time`,
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

/** Returns the CPU time of a process that runs this code, in milliseconds. */
async function cpuOfProcess(code: string): Promise<number> {
  const told =
    'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000); process.exit()'
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${code}; ${told}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return Number(await text(child.stdout))
}

/**
 * Returns the time from spawning a server to the end of its first reply, in milliseconds. The server prints
 * its URL on the first line.
 */
async function firstReply(args: readonly string[], program = process.execPath): Promise<number> {
  const begin = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    if (output.includes('\n')) break
  }
  const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
  if (!origin) throw new Error(`The server did not print its address, but: ${output}`)
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
    detail: `Node itself takes ${result.baseline.median.toFixed(0)} ms`,
  }
}
