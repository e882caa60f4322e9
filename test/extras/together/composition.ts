/** Adds every pair of rules to a sandbox, one after the other, and describes the replies. */
import { parseRecording, type Rule, type Sandbox } from '../../../src/index.ts'
import { open } from '../../call.ts'

const on = 'createResponse'

/** One rule per kind of answer and modifier. Each leaves a mark in the reply that names it. */
const rules: Record<string, Rule> = {
  reply: { on, reply: { text: 'reply text' } },
  'reply once': { on, times: 1, reply: { text: 'once text' } },
  'reply when': { on, when: { input: { contains: 'sky' } }, reply: { text: 'when text' } },
  sequence: { on, sequence: ['pass', { reply: { text: 'step text' } }] },
  script: { on, script: [{ text: 'turn text' }], onEnd: 'pass' },
  'status once': { on, times: 1, fault: { name: 'status', status: 503 } },
  status: { on, fault: { name: 'status', status: 500 } },
  limit: { on, rateLimit: { requests: 1, per: '1h' } },
  state: { on, setState: 'next' },
  'delay once': { on, times: 1, fault: { name: 'latency', ms: 5 } },
  delay: { on, fault: { name: 'latency', ms: 7 } },
  form: { on, fault: 'json-instead-of-stream' },
  fields: { on, fault: { name: 'field', path: 'model' } },
  answer: { on, fault: { name: 'duplicate-response-id', id: 'same' } },
  cut: { on, fault: 'stream-cut' },
  'error event': { on, fault: 'stream-error-event' },
  text: { on, fault: 'stream-crlf' },
  bytes: { on, fault: 'truncated-body' },
  chunks: { on, fault: { name: 'stream-split', bytes: 40 } },
}
const headers: Record<string, string> = { 'header answer': 'provider-outage', 'header cut': 'stream-cut' }
const names = [...Object.keys(rules), ...Object.keys(headers), 'recording']

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }
const recordingOf = (more: object, type: string, text: string) =>
  parseRecording(`{"recording":1,"operation":"ask","key":"k"}
{"request":{"method":"POST","path":"/responses","json":${JSON.stringify({ ...question, ...more })}}}
{"reply":{"ms":0,"status":200,"headers":{"content-type":"${type}"}}}
{"ms":0,"text":${JSON.stringify(text)}}
{"end":"fin","ms":0,"bytes":${text.length}}`)

export const recording = recordingOf({}, 'application/json', '{"model":"a","text":"recorded text"}')
const recordedStream = recordingOf(
  { stream: true },
  'text/event-stream',
  `data: {"type":"response.created","response":{"id":"b"}}\n\n${[
    'recorded text',
    ' and',
    ' more',
    ' of',
    ' it',
  ]
    .map((delta) => `data: {"type":"response.output_text.delta","delta":"${delta}","model":"a"}\n\n`)
    .join('')}data: {"type":"response.completed","response":{"id":"b"}}\n\ndata: [DONE]\n\n`,
)

export type Activated = Pick<Sandbox, 'apiKey'> & {
  use(...sources: Parameters<Sandbox['use']>): unknown
  journal: { last(operation: string): unknown }
  dispose(): unknown
}
type Entry = { rules: { scenario: string; faults: string[] }[]; warnings: string[] }

/** Adds two rules, sends two requests, and returns a line with the marks in each reply. */
async function outcomeOf(
  { target, createSandbox, source = scenarioOf }: Entrance,
  pair: readonly string[],
  stream: boolean,
): Promise<string> {
  const sandbox = await createSandbox()
  for (const name of pair)
    if (name === 'recording') await sandbox.use(recording, recordedStream)
    else if (!headers[name]) await sandbox.use(source(name))
  const named = pair.flatMap((name) => headers[name] ?? [])
  const marks: string[] = []
  for (let request = 0; request < 2; request++) {
    const response = await open({ ...target, apiKey: sandbox.apiKey }, 'POST /responses', {
      body: { ...question, ...(stream && { stream }) },
      headers: { 'x-understudy-scenario': named.length > 0 ? named.join(', ') : null },
    })
    const chunks: Uint8Array[] = []
    const written = new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) })
    await response.body?.pipeTo(written).catch(() => {})
    marks.push(marksOf(response, chunks, stream, (await sandbox.journal.last(on)) as Entry))
  }
  await sandbox.dispose()
  return marks[0] === marks[1] ? `${marks[0]} twice` : marks.join(', then ')
}

/** Describes a reply: its status or text, then what changed it, then the rules in the journal. */
function marksOf(
  { status, headers }: Response,
  chunks: readonly Uint8Array[],
  stream: boolean,
  { rules, warnings }: Entry,
): string {
  const body = Buffer.concat(chunks).toString()
  const isStream = headers.get('content-type')?.includes('event-stream')
  const text = /(reply|once|when|step|turn|recorded) (?=text|"|\\)/.exec(body)?.[1] ?? 'generated'
  const ended = isStream ? body.includes('[DONE]') : isJson(body)
  const faults = rules.flatMap((rule) => rule.faults)
  const marks = [
    status === 200 ? text : status,
    stream && status === 200 && !isStream && 'as JSON',
    !ended && 'cut',
    isStream && body.includes('response.failed') && 'error event',
    body.includes('\r\n') && 'CRLF',
    status === 200 && !body.includes('"model"') && 'no model',
    body.includes('"id":"same"') && 'same id',
    faults.includes('stream-split') && 'split',
    faults.includes('latency') && 'delayed',
    headers.has('x-ratelimit-limit') && 'limit headers',
    warnings.some((warning) => warning.includes('found nothing')) && 'no effect',
  ]
  return `${marks.filter(Boolean).join(' ')} [${rules.map(({ scenario }) => scenario.replace('-ask-k', '')).join(' + ')}]`
}

function isJson(text: string): boolean {
  try {
    return Boolean(JSON.parse(text))
  } catch {
    return false
  }
}

export const scenarioOf = (name: string) => ({
  name: name.replaceAll(' ', '-'),
  rules: [rules[name] as Rule],
})
export const scenarioNames = Object.keys(rules)

/** An entrance for rules and requests. */
export interface Entrance {
  readonly target: { fetch?: typeof fetch; baseUrl?: string }
  createSandbox(): Activated | Promise<Activated>
  /** Returns what `use` accepts for a name. Default: the rule as an object. */
  source?(name: string): Parameters<Sandbox['use']>[0]
}

/** Returns the outcome of every pair of rules as text. Both orders share a line if they act alike. */
export async function compositionOf(entrance: Entrance): Promise<string> {
  const ask = async (pair: readonly string[]) => {
    const [json, stream] = [await outcomeOf(entrance, pair, false), await outcomeOf(entrance, pair, true)]
    return json === stream ? `  ${json}\n` : `  JSON: ${json}\n  stream: ${stream}\n`
  }
  let text = ''
  for (const [index, first] of names.entries()) {
    text += `${first}\n${await ask([first])}`
    for (const second of names.slice(index + 1)) {
      const [outcome, reversed] = [await ask([first, second]), await ask([second, first])]
      text +=
        outcome === reversed
          ? `${first} and ${second}\n${outcome}`
          : `${first}, then ${second}\n${outcome}${second}, then ${first}\n${reversed}`
    }
  }
  return text
}
