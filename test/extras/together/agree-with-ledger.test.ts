/** Tests `toAgreeWithLedger` with right and wrong sums of usage, as applications compute them from replies. */
import { describe, expect, it } from 'vitest'
import { createGateway, type Sandbox } from '../../../src/index.ts'
import { connectGateway } from '../../../src/remote.ts'
import { startServer } from '../../../src/serve.ts'
import '../../../src/verdicts.ts'
import { open } from '../../call.ts'

const gateway = createGateway({ timeScale: 0 })
const messages = [{ role: 'user', content: 'Why do tides come twice a day?' }]
const bodies = {
  responses: { input: messages[0]?.content },
  'chat/completions': { messages, stream_options: { include_usage: true } },
  messages: { messages, max_tokens: 500 },
}
type Path = keyof typeof bodies
const paths = Object.keys(bodies) as Path[]

const none = {
  inputTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
}
type Counts = typeof none

function sum(counts: readonly Counts[]): Counts {
  const names = Object.keys(none) as (keyof Counts)[]
  const sumOf = (name: keyof Counts) => counts.reduce((all, each) => all + each[name], 0)
  return Object.fromEntries(names.map((name) => [name, sumOf(name)])) as Counts
}

/** Returns the usage in an event or a reply, if it has any. */
function usageIn(value: { [name: string]: Record<string, unknown> }): Counts[] {
  // biome-ignore lint/suspicious/noExplicitAny: usage in the formats of three protocols
  const usage = (value['usage'] ?? value['response']?.['usage'] ?? value['message']?.['usage']) as any
  if (!usage) return []
  const input = usage.input_tokens_details ?? usage.prompt_tokens_details ?? {}
  const output = usage.output_tokens_details ?? usage.completion_tokens_details ?? {}
  const { cache_read_input_tokens: read = 0, cache_creation_input_tokens: written = 0 } = usage
  return [
    {
      inputTokens: (usage.input_tokens ?? usage.prompt_tokens) + read + written,
      cachedTokens: input.cached_tokens ?? read,
      cacheWriteTokens: input.cache_write_tokens ?? written,
      outputTokens: usage.output_tokens ?? usage.completion_tokens,
      reasoningTokens: output.reasoning_tokens ?? 0,
    },
  ]
}

interface Seen {
  /** Usage in the call's events, oldest first. */
  readonly usages: readonly Counts[]
  readonly isCut: boolean
}

/** Makes three calls: one as usual, and in a stream, one with usage in every event, and one that is cut. */
async function observe(sandbox: Sandbox, path: Path, stream: boolean): Promise<Seen[]> {
  const details = { cached_tokens: 40, ...(path !== 'responses' && { cache_write_tokens: 20 }) }
  const reasoning = path !== 'messages' && { output_tokens_details: { reasoning_tokens: 10 } }
  const usage = {
    input_tokens: 100,
    input_tokens_details: details,
    output_tokens: 30,
    ...reasoning,
    cost: 0.1,
  }
  sandbox.reply({ text: 'a b c d e f g h', usage })
  const calls: Seen[] = []
  const faults = [
    { name: 'usage', form: 'every-event' },
    { name: 'stream-cut', afterDeltas: 5 },
  ] as const
  for (const fault of [undefined, ...(stream ? faults.slice(path === 'messages' ? 1 : 0) : [])]) {
    if (fault) sandbox.use({ on: 'text', times: 1, fault })
    const body = { model: 'aurora/dawn-2', stream, ...bodies[path] }
    const response = await open({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, `POST /${path}`, { body })
    let text = ''
    const parts = response.body?.pipeThrough(new TextDecoderStream()) ?? []
    const reading = async () => {
      for await (const part of parts) text += part
    }
    await reading().catch(() => {})
    const values = stream ? [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => json) : [text]
    const usages = values.flatMap((json = '') => usageIn(JSON.parse(json)))
    calls.push({ usages, isCut: fault?.name === 'stream-cut' })
  }
  return calls
}

/** The application knows what it sent, and counts the deltas of a stream that was cut. */
function usageOf({ usages, isCut }: Seen, [whole]: readonly Seen[]): Counts {
  const last = usages.at(-1) ?? none
  return isCut ? { ...(whole?.usages.at(-1) ?? none), outputTokens: 5, reasoningTokens: 0 } : last
}

const right = (calls: readonly Seen[]) => sum(calls.map((call) => usageOf(call, calls)))

/** Wrong sums, by the mistake to name. */
const mistakes: Record<string, (calls: readonly Seen[], path: Path) => Counts> = {
  "(?:counted the cumulative usage of \\d+ chunks|added message_delta's usage to message_start's)": (calls) =>
    sum(calls.flatMap((call) => (call.isCut ? [usageOf(call, calls)] : call.usages))),
  'counted cached tokens twice': (calls) => {
    const total = right(calls)
    return { ...total, inputTokens: total.inputTokens + total.cachedTokens }
  },
  'left out the usage of 1 aborted answer': (calls) => right(calls.filter(({ isCut }) => !isCut)),
  'added reasoning tokens to the output, which contains them': (calls) => {
    const total = right(calls)
    return { ...total, outputTokens: total.outputTokens + total.reasoningTokens }
  },
  'left out cache writes': (calls) => {
    const total = right(calls)
    return { ...total, inputTokens: total.inputTokens - total.cacheWriteTokens, cacheWriteTokens: 0 }
  },
  'left out cached tokens(?: and cache writes)?': (calls) => {
    const total = right(calls)
    return { ...total, inputTokens: total.inputTokens - total.cachedTokens - total.cacheWriteTokens }
  },
}

describe.each(paths.flatMap((path) => [false, true].map((stream) => ({ path, stream }))))(
  'toAgreeWithLedger() for POST /$path, stream: $stream',
  ({ path, stream }) => {
    it('agrees with what an application has counted rightly', async () => {
      const sandbox = gateway.createSandbox()
      const calls = await observe(sandbox, path, stream)
      const counts = right(calls)
      const totalTokens = counts.inputTokens + counts.outputTokens
      const all = { ...counts, totalTokens, requests: calls.length, costUsd: 0.1 * calls.length }
      expect(sandbox).toAgreeWithLedger(all)
      for (const [name, count] of Object.entries(all)) {
        expect(sandbox).toAgreeWithLedger({ [name]: count })
        expect(sandbox).not.toAgreeWithLedger({ [name]: count + 1 })
      }
    })

    it.each(Object.entries(mistakes))('names the mistake: %s', async (mistake, count) => {
      const sandbox = gateway.createSandbox()
      const calls = await observe(sandbox, path, stream)
      const counted = count(calls, path)
      const expected = right(calls)
      const wrong = Object.keys(none).filter(
        (name) => counted[name as keyof Counts] !== expected[name as keyof Counts],
      )
      if (wrong.length === 0) return
      const lines = wrong.map((name) => `\\n {2}${name}: ${mistake} \\(expected \\d+, received \\d+\\)`)
      expect(() => expect(sandbox).toAgreeWithLedger(counted)).toThrow(
        new RegExp(`ledger:${lines.join('')}\n`),
      )
    })
  },
)

it('toAgreeWithLedger() shows a difference without a known cause, and refuses other fields', async () => {
  const sandbox = gateway.createSandbox()
  await observe(sandbox, 'responses', false)
  const check = (counted: object) => () => expect(sandbox).toAgreeWithLedger(counted)
  expect(check({ inputTokens: 99, costUsd: 0.3 })).toThrow(
    'to agree with the ledger:\n  inputTokens: expected 100, received 99\n  costUsd: expected 0.1, received 0.3\n',
  )
  expect(check({ inputTokens: Number.NaN })).toThrow('inputTokens: expected 100, received NaN')
  expect(check({ inputTokens: 100, costUsd: undefined })).toThrow('costUsd: expected 0.1, received undefined')
  expect(check({ input: 1 })).toThrow(
    "toAgreeWithLedger: unknown option 'input'; did you mean 'inputTokens'?",
  )
  expect(check({})).toThrow('toAgreeWithLedger() expects counts')
})

it('toAgreeWithLedger() cannot judge a reply whose usage a body states', async () => {
  const sandbox = gateway.createSandbox()
  sandbox.reply({ body: { usage: { input_tokens: 3, output_tokens: 7 } } })
  const body = { model: 'aurora/dawn-2', ...bodies.responses }
  await open({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'POST /responses', { body })
  const check = () => expect(sandbox).toAgreeWithLedger({ inputTokens: 3 })
  expect(check).toThrow('toAgreeWithLedger() cannot judge 1 call answered by a recording, a body or frames')
})

it('toAgreeWithLedger() finds answers that were left out because they are incomplete', async () => {
  const sandbox = gateway.createSandbox()
  await observe(sandbox, 'responses', true)
  const usage = { input_tokens: 7, output_tokens: 3, cost: 0.02 }
  sandbox.reply({ text: 'a', incompleteReason: 'content_filter', usage })
  const body = { model: 'aurora/dawn-2', ...bodies.responses }
  await open({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'POST /responses', { body })
  const { inputTokens, cost } = sandbox.usage()
  const check = (counted: object) => () => expect(sandbox).toAgreeWithLedger(counted)
  expect(check({ inputTokens: inputTokens - 7, costUsd: cost - 0.02 })).toThrow(
    /inputTokens: left out the usage of 1 incomplete answer .*\n {2}costUsd: left out the usage of 1 inc/,
  )
  expect(check({ inputTokens: inputTokens - 107, costUsd: cost - 0.12 })).toThrow(
    /inputTokens: left out the usage of 1 aborted answer and 1 incomplete answer .*\n {2}costUsd: left out/,
  )
})

it('toAgreeWithLedger() mentions streams that have not ended', async () => {
  const sandbox = gateway.createSandbox()
  using gate = sandbox.hold('text', { at: 'event' })
  const body = { model: 'aurora/dawn-2', stream: true, ...bodies.responses }
  const response = await open({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'POST /responses', { body })
  const reading = response.text()
  await gate.arrived()
  expect(() => expect(sandbox).toAgreeWithLedger({ requests: 2 })).toThrow(
    'requests: expected 1, received 2\n  1 call in progress, whose usage may change',
  )
  gate.release()
  await reading
})

it('toAgreeWithLedger() checks a sandbox of another process', async () => {
  await using server = await startServer()
  const sandbox = await (await connectGateway(server.url)).createSandbox()
  await sandbox.reply({ text: 'Hi', usage: { input_tokens: 3, output_tokens: 1, cost: 0.5 } })
  await open(sandbox, 'POST /responses', { body: { model: 'aurora/dawn-2', ...bodies.responses } })
  await expect(sandbox).toAgreeWithLedger({ inputTokens: 3, outputTokens: 1, costUsd: 0.5 })
  await expect(async () => await expect(sandbox).toAgreeWithLedger({ requests: 2 })).rejects.toThrow(
    'requests',
  )
})
