/** Tries mutants in as few processes as possible. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type JointEvent, readLines } from './notes.ts'

/** Ids of the mutants to try, by test. */
export type Plan = ReadonlyMap<string, readonly number[]>

interface Setup {
  readonly workers: number
  /** Folder for files of the run. */
  readonly scratch: string
  readonly environment: NodeJS.ProcessEnv
  readonly log: (line: string) => void
}

/** Test files per process: few enough that a mutant killed by one process is not tried by many others. */
const batchSize = 12

/** Time without an event after which a process counts as an endless loop, in milliseconds. */
const patienceMs = 20_000

/**
 * Runs each test with each of its planned mutants. Returns the killed mutants, each with the test that failed. A
 * mutant that is missing may be killed in a process of its own: by code that runs once per process, for example.
 */
export async function tryJointly(
  plan: Plan,
  { workers, scratch, environment, log }: Setup,
): Promise<Map<number, string>> {
  const killed = new Map<number, string>()
  /** Mutants that ended a process. */
  const fatal = new Set<number>()
  const fileOf = (test: string) => test.split(' > ', 1)[0] as string
  const byFile = Map.groupBy(plan.keys(), fileOf)
  const files = [...byFile.keys()]
  const batches = Array.from({ length: Math.ceil(files.length / batchSize) }, (_, at) =>
    files.slice(at * batchSize, (at + 1) * batchSize).flatMap((file) => byFile.get(file) ?? []),
  )
  const total = batches.length

  async function tryBatch(tests: readonly string[], worker: number): Promise<void> {
    const waiting = new Set(tests)
    while (waiting.size > 0) {
      const left = Object.fromEntries(
        [...waiting]
          .map(
            (test) =>
              [test, plan.get(test)?.filter((id) => !killed.has(id) && !fatal.has(id)) ?? []] as const,
          )
          .filter(([, ids]) => ids.length > 0),
      )
      const { events, stalled } = await runJointly(left, worker)
      if (events.length === 0) return
      let active: number | undefined
      for (const event of events) {
        if ('test' in event) waiting.delete(event.test)
        if ('killed' in event) killed.set(event.killed, event.by)
        active = 'trying' in event ? event.trying : undefined
      }
      if (active !== undefined && stalled) killed.set(active, 'endless loop')
      else if (active !== undefined) fatal.add(active)
    }
  }

  async function runJointly(left: Record<string, readonly number[]>, worker: number) {
    const events = join(scratch, `events-${worker}.jsonl`)
    const planFile = join(scratch, `plan-${worker}.json`)
    writeFileSync(events, '')
    writeFileSync(planFile, JSON.stringify(left))
    const files = new Set(Object.keys(left).map(fileOf))
    if (files.size === 0) return { events: [], stalled: false }
    const args = [
      'run',
      '--config',
      'test/tools/mutate/vitest.config.ts',
      '--maxWorkers=1',
      '--testTimeout=5000',
    ]
    const child = spawn('vitest', [...args, ...files], {
      env: { ...environment, UNDERSTUDY_JOINT_PLAN: planFile, UNDERSTUDY_JOINT_EVENTS: events },
      stdio: 'ignore',
      detached: true,
    })
    const closed = once(child, 'close').then(() => true)
    let [size, quietMs] = [0, 0]
    while (!(await Promise.race([closed, sleep(1000, false)]))) {
      const now = statSync(events).size
      quietMs = now === size ? quietMs + 1000 : 0
      size = now
      if (quietMs >= patienceMs && child.pid) process.kill(-child.pid, 'SIGKILL')
    }
    return { events: readLines<JointEvent>(events), stalled: quietMs >= patienceMs }
  }

  async function work(worker: number): Promise<void> {
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      await tryBatch(batch, worker)
      log(`${total - batches.length}/${total} groups of test files: ${killed.size} mutants killed so far`)
    }
  }
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
  return killed
}
