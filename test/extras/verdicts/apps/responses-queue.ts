import { type App, status, type Target } from './app.ts'
import { failureOf, limited, sleep } from './persist.ts'
import { assertOk, model, post, textOf } from './reply.ts'

const questions = ['Why do tides rise?', 'Why do currents turn?', 'Why do waves break?']

async function run(target: Target, defect?: string): Promise<Record<string, string>> {
  const queue = questions.map((input) => ({ input, key: crypto.randomUUID(), tries: 0, failed: false }))
  const answers: Record<string, string> = {}
  let waitedMs = 0
  for (let job = queue.shift(); job; job = queue.shift()) {
    const { input, key } = job
    const ask = async (signal?: AbortSignal) => {
      const options = { signal, headers: { 'idempotency-key': key } }
      const response = await post(target, '/responses', { model, input }, options)
      return textOf(await (await assertOk(response)).json())
    }
    job.tries++
    try {
      // Defect: a request has no time limit, so one that gets no reply stops the queue.
      answers[input] = await (defect === 'no-time-limit' ? ask() : limited(target.signal, ask))
      // Defect: a job that has failed once stays failed, and runs again until its tries are used up.
      if (defect !== 'failure-is-final' || !job.failed || job.tries === 7) continue
    } catch (error) {
      const { retryable, waitMs = 10 * 2 ** (job.tries - 1) } = failureOf(error)
      waitedMs += waitMs
      // Defect: the queue puts a job back after any error.
      const again = retryable || defect === 'retries-any-error'
      if (!again || job.tries === 4 || waitedMs > 2200) throw error
      job.failed = true
      // Defect: `Retry-After` in seconds is used as milliseconds.
      await sleep(defect === 'seconds-as-milliseconds' ? waitMs / 1000 : waitMs, target.signal)
    }
    queue.unshift(job)
  }
  return answers
}

export const responsesQueue: App = {
  name: 'responses-queue',
  setUp(sandbox) {
    sandbox.reply('The moon lifts the water, and the earth turns under it.', { when: { input: 'tides' } })
    sandbox.reply('The earth turns, and the currents turn with it.', { when: { input: 'currents' } })
    sandbox.reply('The ground slows the foot of the wave.', { when: { input: 'waves' } })
  },
  run,
  defects: {
    'retries-any-error': { fault: status(422), finding: 'not-retryable-retried' },
    'failure-is-final': { fault: 'status', call: 2, finding: 'retry-storm' },
    'seconds-as-milliseconds': { fault: 'rate-limit', call: 3, finding: 'retry-after-ignored' },
    'no-time-limit': { fault: 'timeout', call: 2, verdict: 'hung' },
  },
}
