/**
 * `npm run soak`: tests Understudy with arbitrary requests, schemas, scenarios, templates, mutated files and sequences
 * of calls, with growing lists, and under load.
 */
import { monotonic } from '../../../src/lib/clock.ts'
import { readFlags } from '../flags.ts'
import { files } from './files.ts'
import { growthOf, maxGrowth, places } from './growth.ts'
import { chaos, failingClients, startChild } from './load.ts'
import { requests, sockets } from './requests.ts'
import { scenarios, templates } from './scenarios.ts'
import { schemas } from './schemas.ts'
import { plans } from './state-model.ts'

const usage = `Usage: npm run soak -- [options]

Tests Understudy with arbitrary input and load. Exits with 1 after a violation. Each count can be 0, which skips its
part.

  --cases <n>        cases of each kind of input (default: 20000)
  --only <part>      part of the name of the kinds to run (default: all)
  --growth <n>       rounds of comparing the time for eight times the items (default: 1)
  --clients <n>      failing clients (default: 5000)
  --minutes <n>      duration of load with the scenario 'chaos' (default: 30)
  --sandboxes <n>    sandboxes at a time under load (default: 1000)
  --per-second <n>   requests per second under load (default: 250)
  --seed <n>         seed of all cases (default: 1)`

const { values } = readFlags(usage, {
  cases: { type: 'string', default: '20000' },
  only: { type: 'string', default: '' },
  growth: { type: 'string', default: '1' },
  clients: { type: 'string', default: '5000' },
  minutes: { type: 'string', default: '30' },
  sandboxes: { type: 'string', default: '1000' },
  'per-second': { type: 'string', default: '250' },
  seed: { type: 'string', default: '1' },
})
const count = (name: keyof typeof values) => Number(values[name])

const startedAt = monotonic()
const log = (line: string) =>
  console.log(`${((monotonic() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`)

function reportViolation(text: string): void {
  process.exitCode = 1
  log(`VIOLATION ${text}`)
}

using child = await startChild({ requestTimeoutMs: 1000 })
for (const part of [schemas, scenarios, templates, files, plans, requests, sockets(child.port)]) {
  if (count('cases') === 0 || !part.name.includes(values.only)) continue
  const { cases, accepted, violations, slowestMs } = await part.run(count('cases'), count('seed'))
  for (const violation of violations) reportViolation(violation)
  log(`${cases} ${part.name}, ${accepted} of them valid, the slowest ${Math.round(slowestMs)} ms of CPU time`)
}
for (let round = 0; round < count('growth'); round++)
  for (const [what, prepare] of places) {
    const growth = await growthOf(prepare)
    if (growth > maxGrowth)
      reportViolation(`${what}: eight times the items take ${growth.toFixed(1)} times as long`)
  }
const loads = [
  ...(count('clients') > 0 ? [() => failingClients(count('clients'))] : []),
  ...(count('minutes') > 0 ? [() => chaos(count('minutes'), count('per-second'), count('sandboxes'))] : []),
]
for (const load of loads)
  await load().then(log, (error: Error) => reportViolation(error.stack ?? error.message))
