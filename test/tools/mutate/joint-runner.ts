/**
 * Vitest runner that runs each test without a mutant, and then once with each mutant planned for it. A process per
 * mutant would take several times as long.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner } from 'vitest'
import { type JointEvent, testKey } from './notes.ts'

const { UNDERSTUDY_JOINT_PLAN: planFile = '', UNDERSTUDY_JOINT_EVENTS: eventsFile = '' } = process.env
/** Ids of the mutants to try, by test. */
const plan: Record<string, number[]> = JSON.parse(readFileSync(planFile, 'utf8'))
const killed = new Set<number>()

const report = (event: JointEvent) => appendFileSync(eventsFile, `${JSON.stringify(event)}\n`)

export default class JointRunner extends TestRunner {
  /** Mutants to try with the current test. The first one is active during its try. */
  #waiting: number[] = []
  #attempt: 'without mutant' | 'with mutant' | 'confirmation' = 'without mutant'

  /** Skips tests without a plan, and runs concurrent tests one after the other. */
  onCollected(files: RunnerTestFile[]): void {
    const prepare = (task: RunnerTask) => {
      task.concurrent = false
      if (task.type === 'suite') task.tasks.forEach(prepare)
      else if (task.mode === 'run' && !plan[testKey(task)]) task.mode = 'skip'
    }
    for (const file of files) file.tasks.forEach(prepare)
  }

  override onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    this.#attempt = 'without mutant'
    this.#waiting = (plan[testKey(test)] ?? []).filter((id) => !killed.has(id))
    // Each mutant may need a confirmation.
    test.repeats = 2 * this.#waiting.length
    test.retry = 0
    report({ test: testKey(test) })
    return super.onBeforeRunTask(test)
  }

  override onBeforeTryTask(test: RunnerTestCase, options: { retry: number; repeats: number }): void {
    if (this.#attempt === 'with mutant') {
      const [id] = this.#waiting
      if (id === undefined) throw new Error('all mutants have been tried')
      report({ trying: id })
      globalThis.__activeMutant = id
    }
    super.onBeforeTryTask(test, options)
  }

  override async onAfterRetryTask(
    test: RunnerTestCase,
    options: { retry: number; repeats: number },
  ): Promise<void> {
    await super.onAfterRetryTask(test, options)
    globalThis.__activeMutant = -1
    const failed = test.result?.state === 'fail'
    test.result = { ...test.result, state: 'pass', errors: undefined }
    if (this.#attempt === 'with mutant') {
      if (failed) this.#attempt = 'confirmation'
      else this.#waiting.shift()
      return
    }
    // A failure without a mutant: either the test cannot be repeated, or a mutant has left something behind.
    if (failed) process.exit(1)
    if (this.#attempt === 'confirmation') {
      const id = this.#waiting.shift() as number
      killed.add(id)
      report({ killed: id, by: testKey(test) })
    }
    this.#attempt = 'with mutant'
  }
}
