import { createOpenAI } from '@ai-sdk/openai'
import { generateText, Output } from 'ai'
import * as z from 'zod'
import { type App, status, type Target } from './app.ts'
import { type Ask, Failure, failureOf, limited, persist, sleep } from './persist.ts'
import { assertWhole, model } from './reply.ts'

const Forecast = z.object({ city: z.string(), degrees: z.number(), advice: z.string() })
type Forecast = z.infer<typeof Forecast>

async function run({ baseUrl, apiKey, fetch, signal }: Target, defect?: string): Promise<Forecast> {
  const openai = createOpenAI({ baseURL: baseUrl, apiKey, fetch })
  const request = {
    model: openai.responses(model),
    output: Output.object({ schema: Forecast }),
    prompt: 'What is the forecast for Brest?',
    maxRetries: 0,
  }
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const ask: Ask<Forecast> = async (abortSignal) => {
    const { finishReason, output } = await generateText({ ...request, headers, abortSignal })
    assertWhole(finishReason.replace('-', '_'), 'stop')
    return output
  }

  const askAndBill: Ask<Forecast> = async (abortSignal) => {
    const { output, usage } = await generateText({ ...request, abortSignal })
    // Defect: an answer without usage cannot be billed, so it is requested again, without an idempotency key.
    if (!usage.totalTokens) throw new Failure('The answer has no usage', { retryable: true })
    return output
  }

  if (defect === 'bills-before-return') return persist(signal, askAndBill)
  // Defect: neither the client nor the call has a time limit.
  if (defect === 'no-time-limit') return (await generateText(request)).output
  // Defect: after a failure, the form shows default values.
  if (defect === 'falls-back-to-defaults')
    return limited(signal, ask).catch(() => ({ city: '', degrees: 0, advice: '' }))
  for (let tries = 1; defect === 'asks-again-on-any-error'; tries++) {
    try {
      return await limited(signal, ask)
    } catch (error) {
      const { waitMs = 10 * 2 ** tries } = failureOf(error)
      // Defect: any error counts as an answer that does not match the schema.
      if (tries === 3) throw error
      await sleep(waitMs, signal)
    }
  }
  return persist(signal, ask)
}

export const structuredOutput: App = {
  name: 'structured-output',
  setUp: (sandbox) => sandbox.reply('{"city":"Brest","degrees":12,"advice":"Take an umbrella."}'),
  run,
  defects: {
    'bills-before-return': { fault: 'usage', finding: 'duplicate-effect', verdict: 'duplicated' },
    'no-time-limit': { fault: 'timeout', verdict: 'hung' },
    'falls-back-to-defaults': { fault: 'malformed-body', verdict: 'silent' },
    'asks-again-on-any-error': { fault: status(400), finding: 'not-retryable-retried' },
  },
}
