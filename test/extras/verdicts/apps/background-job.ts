import type { App, Target } from './app.ts'
import { type Ask, Failure, persist, sleep } from './persist.ts'
import { assertOk, model, post, textOf } from './reply.ts'

const order = { id: 'order-17', lines: ['two tide tables', 'one sea chart'] }
const prompt = { model, input: `Write a confirmation of ${order.lines.join(' and ')}.` }

async function run(target: Target, defect?: string): Promise<{ id: string; state: string; mail: string }> {
  const key = { 'idempotency-key': `${order.id}-${crypto.randomUUID()}` }
  const send = (signal: AbortSignal, headers: Record<string, string>) =>
    post(target, '/responses', prompt, { signal, headers })
  const ask: Ask<string> = async (signal) => textOf(await (await assertOk(await send(signal, key))).json())

  const askForJson: Ask<string> = async (signal) => {
    // Defect: the request has no idempotency key, so a retry is a second request to the gateway.
    const response = await assertOk(await send(signal, {}))
    const mail = textOf(await response.json())
    const type = response.headers.get('content-type')
    if (!type?.includes('json')) throw new Failure(`The reply is no JSON, but ${type}`, { retryable: true })
    return mail
  }

  const askIfAnswered: Ask<string> = async (signal, alive) => {
    try {
      return await ask(signal, alive)
    } catch (error) {
      // Defect: only errors with a status are retried, and a connection that breaks has none.
      if (error instanceof Failure) throw error
      throw new Failure(`No reply: ${Object(error).message}`, { cause: error })
    }
  }

  const askInSeconds: Ask<string> = async (signal) => {
    const response = await send(signal, key)
    if (response.status !== 429) return textOf(await (await assertOk(response)).json())
    // Defect: `Retry-After` is read as a number, and a date counts as no time to wait.
    await sleep((Number(response.headers.get('retry-after')) || 0) * 1000, signal)
    return textOf(await (await assertOk(await send(signal, key))).json())
  }

  const askWatched: Ask<string> = async (signal, alive) => {
    // Defect: a watchdog sends the request again and again, until the first one gets its reply.
    const watchdog = setInterval(() => ask(signal, alive).catch(() => {}), 30)
    const stop = () => clearInterval(watchdog)
    signal.addEventListener('abort', stop)
    return ask(signal, alive).finally(stop)
  }

  const asks: Record<string, Ask<string>> = {
    'loses-key': askForJson,
    'retries-statuses-only': askIfAnswered,
    'expects-seconds': askInSeconds,
    'watchdog-resends': askWatched,
  }
  const mail = await persist(target.signal, asks[defect ?? ''] ?? ask)
  return { id: order.id, state: 'confirmed', mail }
}

export const backgroundJob: App = {
  name: 'background-job',
  setUp: (sandbox) => sandbox.reply('We have received your order of two tide tables and one sea chart.'),
  run,
  defects: {
    'loses-key': { fault: 'wrong-content-type', finding: 'duplicate-effect', verdict: 'duplicated' },
    'retries-statuses-only': { fault: 'connection-reset', finding: 'gave-up', verdict: 'rejected' },
    'expects-seconds': { fault: 'retry-after-date', finding: 'retry-after-ignored' },
    'watchdog-resends': { fault: 'timeout', finding: 'retry-storm' },
  },
}
