/**
 * `npm run soak`: tests Understudy with arbitrary requests on sockets and in process, schemas, scenarios, mutated
 * files, templates, plans for the state model, growing lists, failing clients, and load with chaos.
 */
import fc from 'fast-check'
import { createGateway } from '../../../src/index.ts'
import { monotonic } from '../../../src/lib/clock.ts'
import { loadFakeValue } from '../../../src/model/structured.ts'
import { readFlags } from '../flags.ts'
import { anyRequest, tryInProcess } from './any-request.ts'
import { anyScenario, tryScenario } from './any-scenario.ts'
import { anySchema } from './any-schema.ts'
import { anyTemplate, tryTemplate } from './any-template.ts'
import { chaos, fitOf, inWords } from './chaos.ts'
import { type Reading, startChild } from './child.ts'
import { runFailingClients } from './failing-clients.ts'
import { growthOf, maxGrowth, places } from './growth.ts'
import { anyMutation, mutated, realFiles, tryFile } from './mutated-file.ts'
import { startProgram } from './program.ts'
import { trySocket } from './socket.ts'
import { runModel, steps, untilDone } from './state-model.ts'

const usage = `Usage: npm run soak -- [options]

Tests Understudy with arbitrary input and load, with progress and a summary. Exits with 1 after a violation.
Each count can be 0, which skips its part.

  --schemas <n>      JSON schemas to generate values for (default: 20000)
  --scenarios <n>    scenarios, valid or not (default: 20000)
  --files <n>        mutated files that users exchange (default: 20000)
  --templates <n>    templates of scripted replies (default: 20000)
  --plans <n>        sequences of calls, compared with a model of a sandbox's state (default: 20000)
  --growth <n>       rounds of comparing the time for eight times the items (default: 1)
  --clients <n>      failing clients, twice (default: 5000)
  --sockets <n>      truncated or corrupted requests on sockets (default: 20000)
  --requests <n>     arbitrary requests in process (default: 100000)
  --minutes <n>      duration of load with the scenario 'chaos' (default: 30)
  --sandboxes <n>    sandboxes at a time under load (default: 1000)
  --per-second <n>   requests per second under load (default: 250)
  --seed <n>         seed of all cases (default: 1)`

const { values } = readFlags(usage, {
  requests: { type: 'string', default: '100000' },
  sockets: { type: 'string', default: '20000' },
  schemas: { type: 'string', default: '20000' },
  scenarios: { type: 'string', default: '20000' },
  files: { type: 'string', default: '20000' },
  templates: { type: 'string', default: '20000' },
  plans: { type: 'string', default: '20000' },
  growth: { type: 'string', default: '1' },
  clients: { type: 'string', default: '5000' },
  minutes: { type: 'string', default: '30' },
  sandboxes: { type: 'string', default: '1000' },
  'per-second': { type: 'string', default: '250' },
  seed: { type: 'string', default: '1' },
})
const count = (name: keyof typeof values) => Number(values[name])
const requests = count('requests')
const sockets = count('sockets')
const schemas = count('schemas')
const clients = count('clients')
const minutes = count('minutes')
const seed = count('seed')

const violations: string[] = []
const summary: string[] = []
const startedAt = monotonic()
const log = (line: string) =>
  console.log(`${((monotonic() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`)

function reportViolation(what: string, how: unknown): void {
  violations.push(what)
  log(`VIOLATION ${what}: ${JSON.stringify(how).slice(0, 500)}`)
}

/** Number of bodies to send with each request line: its own and other requests' bodies. */
const bodies = 4

/** Generates cases in batches, so that not all cases are in memory at once. */
function* batches<Case>(arbitrary: fc.Arbitrary<Case>, count: number): Generator<Case[]> {
  const size = 2000
  for (let done = 0; done < count; done += size)
    yield fc.sample(arbitrary, { numRuns: Math.min(size, count - done), seed: seed * 1_000_000 + done })
}

async function inProcess(): Promise<void> {
  let done = 0
  const statuses = new Map<number, number>()
  for (const batch of batches(anyRequest, requests / bodies)) {
    const gateway = createGateway({ timeScale: 0, seed })
    for (const [index, each] of batch.entries()) {
      for (let other = 0; other < bodies; other++) {
        const { body } = batch[(index + other * 7) % batch.length] ?? each
        const request = other === 0 || each.body === undefined ? each : { ...each, body }
        const wrong = await tryInProcess(gateway, request).catch((error) => `rejected: ${error.stack}`)
        if (wrong) reportViolation(wrong, request)
        done++
      }
    }
    for (const { status } of gateway.journal.entries()) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (done % 40_000 === 0) log(`${done} requests in process`)
  }
  const shares = [...statuses]
    .sort(([left], [right]) => left - right)
    .map(([status, count]) => `${status}: ${count}`)
  summary.push(`${done} requests in process; in journals by status: ${shares.join(', ')}`)
}

/** Disconnects silent clients after a second. */
const impatient = { requestTimeoutMs: 1000 }

async function onSockets(): Promise<void> {
  const child = await startChild(impatient)
  let done = 0
  for (const batch of batches(anyRequest, sockets)) {
    for (let at = 0; at < batch.length; at += 100) {
      const part = batch.slice(at, at + 100)
      const wrong = await Promise.all(
        part.map((request, index) => trySocket(child.port, request, done + at + index)),
      )
      for (const [index, each] of wrong.entries()) if (each) reportViolation(each, part[index])
    }
    done += batch.length
    log(`${done} requests on sockets, truncated or corrupted`)
  }
  summary.push(`${done} requests on sockets; then ${inMegabytes(await child.read())}`)
  child.end()
}

async function ofSchemas(): Promise<void> {
  const fakeValue = await loadFakeValue()
  let done = 0
  let valued = 0
  let slowest = 0
  for (const batch of batches(anySchema, schemas)) {
    for (const schema of batch) {
      const from = process.threadCpuUsage()
      try {
        fakeValue(schema, { path: 'schema', subject: 'tides', seed: String(seed), warn() {} })
        valued++
      } catch (error) {
        if ((error as { status?: number }).status !== 400)
          reportViolation('a schema error other than 400', schema)
      }
      const { user, system } = process.threadCpuUsage(from)
      slowest = Math.max(slowest, (user + system) / 1000)
      done++
    }
    log(`${done} schemas`)
  }
  summary.push(`${done} schemas, ${valued} with a value, the slowest ${Math.round(slowest)} ms of CPU time`)
}

async function ofScenarios(): Promise<void> {
  let done = 0
  let valid = 0
  for (const batch of batches(anyScenario, count('scenarios'))) {
    const gateway = createGateway({ timeScale: 0, seed })
    for (const scenario of batch) {
      const { wrong, isValid } = await tryScenario(gateway, scenario).catch((error) => ({
        wrong: `rejected: ${error.stack}`,
        isValid: true,
      }))
      if (wrong) reportViolation(wrong, scenario)
      if (isValid) valid++
      done++
    }
    log(`${done} scenarios, ${valid} of them valid`)
  }
  summary.push(`${done} scenarios, ${valid} of them valid`)
}

/** Checks that mutated user files are accepted and work, or are rejected with a one-line message. */
async function ofFiles(): Promise<void> {
  const files = await realFiles()
  let done = 0
  let valid = 0
  let slowest = 0
  for (const batch of batches(anyMutation, count('files'))) {
    for (const mutation of batch) {
      const [kind, data] = files[mutation.of] as (typeof files)[number]
      const from = process.threadCpuUsage()
      const { wrong, isValid } = await tryFile(kind, mutated(data, mutation)).catch((error) => ({
        wrong: `rejected: ${error.stack}`,
        isValid: true,
      }))
      const { user, system } = process.threadCpuUsage(from)
      const ms = (user + system) / 1000
      slowest = Math.max(slowest, ms)
      if (ms > 1000) reportViolation(`a mutated file takes ${Math.round(ms)} ms`, { kind, ...mutation })
      if (wrong) reportViolation(wrong, { kind, ...mutation })
      if (isValid) valid++
      done++
    }
    log(`${done} mutated files, ${valid} of them valid`)
  }
  summary.push(
    `${done} mutated files, ${valid} of them valid, the slowest ${Math.round(slowest)} ms of CPU time`,
  )
}

/** Compares sandboxes with a model of their state; one in five plans has sequential steps. */
async function ofState(): Promise<void> {
  let done = 0
  const plans = fc.oneof(
    { weight: 1, arbitrary: steps(fc.constant(untilDone)) },
    { weight: 4, arbitrary: steps(fc.nat({ max: 14 })) },
  )
  for (const batch of batches(plans, count('plans'))) {
    for (const plan of batch) {
      await runModel(plan).catch((error) =>
        reportViolation(`the state deviates from the model: ${error.message}`, plan),
      )
      done++
    }
    log(`${done} plans for the state model`)
  }
  summary.push(`${done} plans for the state model`)
}

async function ofTemplates(): Promise<void> {
  let done = 0
  let valid = 0
  for (const batch of batches(anyTemplate, count('templates'))) {
    const gateway = createGateway({ timeScale: 0, seed })
    for (const template of batch) {
      const { wrong, isValid } = await tryTemplate(gateway, template)
      if (wrong) reportViolation(wrong, template)
      if (isValid) valid++
      done++
    }
    log(`${done} templates, ${valid} of them valid`)
  }
  summary.push(`${done} templates, ${valid} of them valid`)
}

/** Checks that processing time grows in proportion to each list and map of a request. */
async function ofGrowth(): Promise<void> {
  for (let round = 0; round < count('growth'); round++)
    for (const [what, prepare] of places) {
      const growth = await growthOf(prepare)
      if (growth > maxGrowth)
        reportViolation(`${what}: eight times the items take ${growth.toFixed(1)} times as long`, what)
    }
  summary.push(`${places.length} lists and maps, whose time grows in proportion`)
}

async function ofClients(): Promise<void> {
  const child = await startChild(impatient)
  for (let round = 1; round <= 2; round++) {
    const { before, after } = await runFailingClients(child, clients)
    if (after.sockets > before.sockets) reportViolation('sockets leak', { before, after })
    if (after.timers > before.timers) reportViolation('timers leak', { before, after })
    log(`${clients} failing clients, round ${round}: ${inMegabytes(after)}`)
    summary.push(
      `${clients} failing clients: sockets ${before.sockets} to ${after.sockets}, timers ${before.timers} to ${after.timers}, ${inMegabytes(after)}`,
    )
  }
  child.end()
}

async function ofChaos(): Promise<void> {
  if (minutes === 0) return
  const program = await startProgram('--scenario', 'chaos')
  const load = { minutes, perSecond: count('per-second'), living: count('sandboxes') }
  const { requests, sandboxes, readings } = await chaos(program, load, log)
  const endMs = await program.end()
  summary.push(
    `${requests} requests of chaos in ${minutes} minutes, ${load.living} sandboxes at a time, ${sandboxes} made`,
  )
  // The first third is warm-up.
  const steady = readings.slice(Math.floor(readings.length / 3))
  for (const reading of [readings[0], steady[0], readings.at(-1)])
    if (reading) summary.push(`  after ${reading.minutes.toFixed(1)} minutes: ${inWords(reading)}`)
  for (const [name, unit, scale] of figures) {
    const { start, slope } = fitOf(steady, name)
    const end = start + slope * minutes
    const sign = slope < 0 ? '-' : '+'
    summary.push(
      `  ${name}: ${(start / scale).toFixed(1)} ${sign} ${Math.abs(slope / scale).toFixed(3)} ${unit} per minute`,
    )
    const begin = start + (slope * minutes) / 3
    if (end > begin * 1.2) reportViolation(`${name} grows`, { begin, end })
  }
  summary.push(`  shut down in ${Math.round(endMs)} ms`)
}

/** Reported fields of a reading, each with its unit and divisor. */
const figures = [
  ['rss', 'MB', 1024 * 1024],
  ['descriptors', '', 1],
] as const

function inMegabytes({ rss, heapUsed }: Reading): string {
  return `RSS ${Math.round(rss / 1024 / 1024)} MB, heap ${Math.round(heapUsed / 1024 / 1024)} MB`
}

if (schemas > 0) await ofSchemas()
if (count('scenarios') > 0) await ofScenarios()
if (count('files') > 0) await ofFiles()
if (count('templates') > 0) await ofTemplates()
if (count('plans') > 0) await ofState()
if (count('growth') > 0) await ofGrowth()
if (clients > 0) await ofClients()
if (sockets > 0) await onSockets()
if (requests > 0) await inProcess()
await ofChaos()
console.log(`\n${summary.join('\n')}\n${violations.length} violations`)
process.exitCode = violations.length > 0 ? 1 : 0
