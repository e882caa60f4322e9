/**
 * Records how published clients react to every fault and bundled scenario, over a real socket and
 * without retries. `npm run generate:clients` writes `client-outcomes.json`, and `npm run generate`
 * turns it into docs/clients.md. Run both after changing a fault, a scenario or a client
 * version; a test reports missing rows.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { getBytes, getLines, getMessages } from '@microsoft/fetch-event-source/lib/esm/parse.js'
import { Agent, OpenAIProvider, Runner } from '@openai/agents'
import { callModel, OpenRouter } from '@openrouter/agent'
import { generateText, streamText } from 'ai'
import { createParser } from 'eventsource-parser'
import { events as fetchEvents } from 'fetch-event-stream'
import OpenAI from 'openai'
import { Stream } from 'openai/streaming'
import { parseServerSentEvents } from 'parse-sse'
import type { Fault, FaultName } from '../../src/faults/index.ts'
import { faults } from '../../src/faults/index.ts'
import { bundledScenarios } from '../../src/scenarios/bundled.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import type { Recording, Seen } from '../readme/fault-sections.ts'

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

const model = 'aurora/dawn-1:online'
const input = 'Hello'
/** Time without progress after which a client is considered to hang, in real milliseconds. */
const patienceMs = 15_000

/** Sends a request and reports each piece of text as it arrives. */
type Reader = (at: { baseURL: string; apiKey: string }, delta: (text: string) => void) => Promise<void>

interface Client {
  json?: Reader
  stream: Reader
}

const openai = (at: { baseURL: string; apiKey: string }) => new OpenAI({ ...at, maxRetries: 0 })
const aiSdk = (at: { baseURL: string; apiKey: string }) => createOpenAI(at).responses(model)
const chat = ({ baseURL, apiKey }: { baseURL: string; apiKey: string }) =>
  new ChatOpenAI({ model, apiKey, configuration: { baseURL }, useResponsesApi: true, maxRetries: 0 })
const agents = (at: { baseURL: string; apiKey: string }) => {
  // The package has its own copy of the client, so the types differ.
  const modelProvider = new OpenAIProvider({ openAIClient: openai(at) as never, useResponses: true })
  return new Runner({ modelProvider, tracingDisabled: true })
}
const agent = new Agent({ name: 'Asked', model })
const asked = ({ baseURL, apiKey }: { baseURL: string; apiKey: string }) =>
  callModel(new OpenRouter({ apiKey, serverURL: baseURL, retryConfig: { strategy: 'none' } }), {
    model,
    input,
  })

/** Clients of the API, in contrast to the event stream parsers below. */
const clients: Record<string, Client> = {
  openai: {
    async json(at, delta) {
      delta((await openai(at).responses.create({ model, input })).output_text)
    },
    async stream(at, delta) {
      for await (const event of await openai(at).responses.create({ model, input, stream: true }))
        if (event.type === 'response.output_text.delta') delta(event.delta)
    },
  },
  'AI SDK': {
    async json(at, delta) {
      delta((await generateText({ model: aiSdk(at), prompt: input, maxRetries: 0 })).text)
    },
    async stream(at, delta) {
      const { fullStream } = streamText({ model: aiSdk(at), prompt: input, maxRetries: 0, onError() {} })
      for await (const part of fullStream) {
        if (part.type === 'text-delta') delta(part.text)
        if (part.type === 'error') throw part.error
      }
    },
  },
  '@openai/agents': {
    async json(at, delta) {
      delta((await agents(at).run(agent, input)).finalOutput ?? '')
    },
    async stream(at, delta) {
      const result = await agents(at).run(agent, input, { stream: true })
      for await (const event of result)
        if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
          delta(event.data.delta)
      await result.completed
    },
  },
  '@openrouter/agent': {
    // The package always streams.
    async stream(at, delta) {
      for await (const text of asked(at).getTextStream()) delta(text)
    },
  },
  LangChain: {
    async json(at, delta) {
      delta((await chat(at).invoke(input)).text)
    },
    async stream(at, delta) {
      for await (const chunk of await chat(at).stream(input)) if (chunk.text) delta(chunk.text)
    },
  },
  'eventsource-parser': {
    async json(at, delta) {
      const response = await ask(at, false)
      if (!response.ok) throw refused(response)
      const { output } = await response.json()
      delta(output.at(-1).content[0].text)
    },
    stream: (at, delta) => readEvents(at, delta, parsers['eventsource-parser'] as Parser),
  },
}

/** Calls `data` with the data of each event in a reply. */
type Parser = (response: Response, data: (text: string) => void) => Promise<void>

/** Published event stream parsers, for `parser-torture`. */
const parsers: Record<string, Parser> = {
  async 'eventsource-parser'(response, data) {
    const parser = createParser({ onEvent: (event) => data(event.data) })
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }))
  },
  async openai(response, data) {
    for await (const event of Stream.fromSSEResponse<object>(response, new AbortController()))
      data(JSON.stringify(event))
  },
  async '@microsoft/fetch-event-source'(response, data) {
    const onMessage = getMessages(
      () => {},
      () => {},
      (message) => data(message.data),
    )
    await getBytes(response.body as ReadableStream<Uint8Array>, getLines(onMessage))
  },
  async 'fetch-event-stream'(response, data) {
    for await (const event of fetchEvents(response)) if (event.data !== undefined) data(event.data)
  },
  async 'parse-sse'(response, data) {
    for await (const event of parseServerSentEvents(response)) data(event.data)
  },
}

function ask({ baseURL, apiKey }: { baseURL: string; apiKey: string }, stream: boolean): Promise<Response> {
  return fetch(`${baseURL}/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, input, ...(stream && { stream }) }),
  })
}

function refused({ status }: Response): Error {
  return Object.assign(new Error('refused'), { name: 'Status', status })
}

async function readEvents(
  at: { baseURL: string; apiKey: string },
  delta: (text: string) => void,
  parse: Parser,
): Promise<void> {
  const response = await ask(at, true)
  if (!response.ok) throw refused(response)
  await parse(response, (data) => {
    if (data === '[DONE]') return
    const event = JSON.parse(data)
    if (event.type === 'response.output_text.delta') delta(event.delta)
  })
}

interface Outcome {
  deltas: number
  text: string
  error?: unknown
  hangs?: boolean
}

async function observe(
  server: RunningServer,
  read: Reader,
  apiKey: string,
  patience = patienceMs,
): Promise<Outcome> {
  const outcome: Outcome = { deltas: 0, text: '' }
  const { promise: silence, resolve } = Promise.withResolvers<void>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const wait = () => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      outcome.hangs = true
      resolve()
    }, patience)
  }
  wait()
  const reading = read({ baseURL: server.baseUrl, apiKey }, (text) => {
    wait()
    outcome.deltas++
    outcome.text += text
  }).catch((error) => {
    outcome.error = error ?? new Error('undefined')
  })
  await Promise.race([reading, silence])
  clearTimeout(timer)
  return { ...outcome }
}

/**
 * Describes an outcome briefly: `unchanged`, `no error, 3 of 40 deltas`, `APIError 503`, `hangs after 3
 * of 40 deltas`.
 */
function inWords(outcome: Outcome, plain: Outcome, form: 'json' | 'stream'): string {
  const deltas = form === 'stream' ? `${outcome.deltas} of ${plain.deltas} deltas` : ''
  if (outcome.hangs) return deltas ? `hangs after ${deltas}` : 'hangs'
  if (outcome.error !== undefined) {
    const { name, status, statusCode, constructor: made } = outcome.error as Record<string, unknown> & object
    const given = typeof name === 'string' && name !== 'Error' ? name : made?.name
    const code = status ?? statusCode
    const title = `${String(given ?? 'Error').replace(/^_/, '')}${typeof code === 'number' ? ` ${code}` : ''}`
    return form === 'stream' && outcome.deltas > 0 ? `${title} after ${deltas}` : title
  }
  if (outcome.text === plain.text) return 'unchanged'
  if (form === 'stream' && outcome.deltas !== plain.deltas) return `no error, ${deltas}`
  return outcome.text === '' ? 'no error, no text' : 'no error, different text'
}

/** Parameters for faults that require them. */
const settings: Partial<Record<FaultName, (form: 'json' | 'stream') => Fault>> = {
  field: (form) => ({ name: 'field', path: form === 'json' ? 'output' : 'response.output' }),
}

/** Number of requests to make for scenarios that leave the first request unaffected. */
const callsOf: Record<string, number> = { 'rate-limited': 4 }
/** Number of requests for scenarios whose effect varies between requests. Their outcomes are counted. */
const countedOf: Record<string, number> = { 'parser-torture': 11, chaos: 25 }

/**
 * Returns a single outcome as is, or counts several in order of first occurrence: `20 unchanged, 3 APIError
 * 503`.
 */
function summedUp(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const each of words) counts.set(each, (counts.get(each) ?? 0) + 1)
  return words.length === 1
    ? (words[0] as string)
    : [...counts].map(([each, count]) => `${count} ${each}`).join(', ')
}

type Table = Recording['faults']

/** Returns the installed versions of the client packages. */
function versions(): Record<string, string> {
  const names = [
    'openai',
    'ai',
    '@ai-sdk/openai',
    '@openai/agents',
    '@openrouter/agent',
    '@langchain/openai',
    'eventsource-parser',
    '@microsoft/fetch-event-source',
    'fetch-event-stream',
    'parse-sse',
  ]
  return Object.fromEntries(
    names.map((name) => {
      const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
      return [name, JSON.parse(readFileSync(file, 'utf8')).version]
    }),
  )
}

async function record(): Promise<Recording> {
  // Makes waits 50 times shorter.
  await using server = await startServer({ timeScale: 0.02 })
  const plain = new Map<string, Outcome>()
  const key = (client: string, form: string) => `${client} ${form}`
  for (const [name, client] of Object.entries(clients)) {
    for (const form of ['json', 'stream'] as const) {
      if (!client[form]) continue
      const outcome = await observe(server, client[form], server.gateway.createSandbox().apiKey)
      if (outcome.error || outcome.hangs)
        throw new Error(`${name} (${form}) fails without a fault: ${outcome.error}`)
      plain.set(key(name, form), outcome)
    }
  }
  const jobs: (() => Promise<void>)[] = []
  /** Jobs to repeat, two at a time, because a client may appear to hang if the machine is busy. */
  const again: (() => Promise<void>)[] = []
  const tableOf = (subjects: string[], use: (subject: string, form: 'json' | 'stream') => unknown): Table => {
    const table: Table = {}
    for (const subject of subjects) {
      const row: Table[string] = {}
      table[subject] = row
      for (const [name, client] of Object.entries(clients)) {
        const cell: Seen = { json: '', stream: '' }
        row[name] = cell
        for (const form of ['json', 'stream'] as const) {
          if (!client[form]) continue
          const look = async (patience?: number) => {
            const sandbox = server.gateway.createSandbox()
            sandbox.use(use(subject, form) as never)
            const outcomes: Outcome[] = []
            for (let call = 0; call < (countedOf[subject] ?? callsOf[subject] ?? 1); call++)
              outcomes.push(await observe(server, client[form] as Reader, sandbox.apiKey, patience))
            const isMet = sandbox.unusedRules().length < ruleCount(subject)
            const counted = subject in countedOf ? outcomes : outcomes.slice(-1)
            const whole = plain.get(key(name, form)) as Outcome
            cell[form] = isMet ? summedUp(counted.map((each) => inWords(each, whole, form))) : ''
            return outcomes.some(({ hangs }) => hangs)
          }
          jobs.push(async () => {
            if (await look()) again.push(async () => void (await look(2 * patienceMs)))
          })
        }
      }
    }
    return table
  }
  const ruleCount = (subject: string) => bundledScenarios.get(subject)?.rules.length ?? 1
  const faultTable = tableOf(
    faults.map(({ name }) => name),
    (name, form) => ({ on: '*', fault: settings[name as FaultName]?.(form) ?? name }),
  )
  const scenarioTable = tableOf([...bundledScenarios.keys()], (name) => name)
  const run = async (list: (() => Promise<void>)[], atOnce: number) => {
    const worker = async () => {
      for (let job = list.shift(); job; job = list.shift()) await job()
    }
    await Promise.all(Array.from({ length: atOnce }, worker))
  }
  await run(jobs, 8)
  await run(again, 2)

  const tortured: Record<string, Record<string, string>> = {}
  const torture = bundledScenarios.get('parser-torture')?.rules[0] as { sequence: { fault: string }[] }
  for (const [name, parse] of Object.entries(parsers)) {
    const row: Record<string, string> = {}
    tortured[name] = row
    const sandbox = server.gateway.createSandbox()
    sandbox.use('parser-torture')
    const reader: Reader = (at, delta) => readEvents(at, delta, parse)
    const whole = plain.get(key('eventsource-parser', 'stream')) as Outcome
    for (const { fault } of torture.sequence)
      row[fault] = inWords(await observe(server, reader, sandbox.apiKey), whole, 'stream')
  }
  return { versions: versions(), faults: faultTable, scenarios: scenarioTable, parsers: tortured }
}

if (process.argv[1] === import.meta.filename) {
  process.on('unhandledRejection', () => {})
  const file = new URL('client-outcomes.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify(await record(), null, 2)}\n`)
  process.exit(0)
}
