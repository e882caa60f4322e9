/**
 * `npm run soak`: tests Understudy with arbitrary requests, schemas, scenarios, templates and mutated files, with
 * growing lists, and under load.
 */
import { startServer } from '../../../src/serve.ts'
import { readFlags } from '../flags.ts'
import { files } from './files.ts'
import { growingTooFast } from './growth.ts'
import { chaos, failingClients } from './load.ts'
import { requests, sockets } from './requests.ts'
import { scenarios, templates } from './scenarios.ts'
import { schemas } from './schemas.ts'

const usage = `Usage: npm run soak -- [options]

Tests Understudy with arbitrary input and load. Exits with 1 after a violation. Each count can be 0, which skips its
part.

  --cases <n>        cases of each kind of input (default: 20000)
  --only <part>      part of the name of the kinds to run (default: all)
  --growth <n>       rounds of comparing the time for eight times the items (default: 1)
  --clients <n>      failing clients (default: 5000)
  --minutes <n>      duration of load with the scenario 'chaos' (default: 30)
  --seed <n>         seed of all cases (default: 1)`

const { values } = readFlags(usage, {
  cases: { type: 'string', default: '20000' },
  only: { type: 'string', default: '' },
  growth: { type: 'string', default: '1' },
  clients: { type: 'string', default: '5000' },
  minutes: { type: 'string', default: '30' },
  seed: { type: 'string', default: '1' },
})
const count = (name: keyof typeof values) => Number(values[name])

function report(violations: readonly string[]): void {
  if (violations.length > 0) process.exitCode = 1
  for (const violation of violations) console.log(`VIOLATION ${violation}`)
}

if (count('cases') > 0) {
  await using server = await startServer({ timeScale: 0, requestTimeoutMs: 1000 })
  const port = Number(new URL(server.url).port)
  for (const part of [schemas, scenarios, templates, files, requests, sockets(port)]) {
    if (!part.name.includes(values.only)) continue
    const { accepted, violations } = await part.run(count('cases'), count('seed'))
    report(violations)
    console.log(`${count('cases')} ${part.name}, ${accepted} of them valid`)
  }
}
for (let round = 0; round < count('growth'); round++) report(await growingTooFast())
const fail = (error: Error) => report([error.stack ?? error.message])
if (count('clients') > 0) await failingClients(count('clients')).then(console.log, fail)
if (count('minutes') > 0) await chaos(count('minutes')).then(console.log, fail)
