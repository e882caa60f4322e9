/** The golden transcript's 12 scenarios. */
import type { BundledScenarioName, OperationName, Scenario } from '../../src/index.ts'

type Rules = Scenario['rules']

/** @param text The gateway's operations that generate text. */
type GoldenScenario = (text: OperationName[]) => BundledScenarioName | Scenario | undefined

const text = 'Tides follow the moon: **twice** a day the sea rises, and twice it falls. 🌊'
const citations = [{ url: 'https://tides.example/', title: 'Tides', content: 'All about tides' }]
const reply = { text, citations }

function inline(name: string, rules: (text: OperationName[]) => Rules): GoldenScenario {
  return (text) => ({ name, rules: rules(text) })
}

export const scenarios: Readonly<Record<string, GoldenScenario>> = {
  none: () => undefined,
  flaky: () => 'flaky',
  'rate-limited': () => 'rate-limited',
  chaos: () => 'chaos',
  'contract-break': () => 'contract-break',
  'malformed-events': () => 'malformed-events',
  // Streams that end early.
  broken: inline('broken', (on) => [
    {
      on,
      when: { stream: true },
      sequence: [
        { reply, fault: 'stream-cut' },
        { reply, fault: { name: 'stream-reset', atEvent: 2 } },
        { reply, fault: { name: 'stream-error-event', afterDeltas: 2, code: 'overloaded' } },
        { reply, faults: ['stream-without-completed', 'stream-without-done'] },
      ],
      onEnd: 'repeat',
    },
    { on, reply: { text, headers: { 'X-Extra': 'yes' } }, fault: 'missing-usage' },
    { on: '*', every: 2, fault: 'lost-reply' },
  ]),
  // Streams with unusual framing, and misleading replies.
  written: inline('written', (on) => [
    {
      on,
      when: { stream: true },
      sequence: [
        { reply, faults: ['stream-crlf', 'stream-comments', { name: 'stream-split', bytes: 7 }] },
        {
          reply,
          faults: ['stream-multiline-data', 'stream-no-space', 'stream-bom', 'stream-duplicate-event'],
        },
        { reply, faults: ['gzip-body', 'stream-unknown-event', 'stream-empty-data', 'latency'] },
        {
          reply,
          faults: ['stream-lone-cr', 'stream-data-after-done', 'citation-late', 'stream-reordered-events'],
        },
      ],
      onEnd: 'repeat',
    },
    { on, when: { body: { tools: { present: true } } }, reply, fault: 'stream-instead-of-json' },
    { on: '*', sequence: [{ fault: 'wrong-content-type' }, { fault: 'gzip-body' }], onEnd: 'repeat' },
  ]),
  // Replies that are malformed below the event level.
  bytes: inline('bytes', () => [
    {
      on: '*',
      sequence: [
        { fault: 'truncated-body' },
        { fault: 'short-content-length' },
        { fault: 'truncated-head' },
        { fault: { name: 'error-body-in-200', message: 'Late' } },
        { faults: ['empty-response', 'latency'] },
        { faults: ['html-error-page', 'slow-body'] },
        { fault: { name: 'status', status: 429, headers: { 'Retry-After': '7' }, metadata: { a: [1] } } },
        { fault: 'retry-after-date' },
      ],
      onEnd: 'repeat',
    },
  ]),
  scripted: inline('scripted', (on) => [
    {
      on: 'getPreset',
      reply: { status: 203, headers: { 'X-Call': '{{ call }}' }, body: { data: '{{ params.slug }}' } },
    },
    { on: 'POST /nothing', reply: { body: { data: 'None' } } },
    {
      on: 'GET /nothing',
      reply: { frames: [{ bytes: 'a' }, { wait: 5 }, { base64: '8J+mig==' }, { hangUp: 'end' }] },
    },
    {
      on: 'listProviders',
      reply: {
        status: 206,
        frames: [{ data: 'one' }, { event: { type: 'two' } }, { done: true }],
      },
    },
    {
      on,
      when: { body: { tools: { present: true } } },
      reply: { text: '{{ input }} at {{ now }}', citations },
    },
    {
      on: 'createResponse',
      when: { stream: true },
      reply: {
        output: [
          { type: 'reasoning', summary: 'Tides.' },
          { type: 'function_call', name: 'weather', arguments: { city: 'Oslo' } },
          { type: 'message', content: [{ refusal: 'I would rather not.' }] },
        ],
        usage: { input_tokens: 2000 },
      },
    },
    { on, times: 2, reply: { text: '{{ model }}, call {{ call }}: {{ input }} {{ body.nothing }}' } },
    { on: 'createResponse', reply: { text, id: 'resp_own', incompleteReason: 'content_filter' } },
    { on, reply: { text, status: 202 } },
    {
      on: 'updateWorkspace',
      fault: { name: 'wrong-type', path: 'data', as: 'array' },
      reply: { body: { data: 'Tides' } },
    },
  ]),
  script: inline('script', (on) => [
    {
      on,
      script: [
        { expect: { input: 'tides' }, call: { weather: { city: 'Oslo' } } },
        { expect: { result: { weather: 'degrees' } }, text },
      ],
    },
    { on: '*', after: 1, setState: 'later' },
    { on: '*', when: { state: 'later' }, fault: { name: 'status', status: 418 } },
  ]),
  // Stalled streams, from which the client disconnects after the first event.
  stalled: inline('stalled', (on) => [
    { on, when: { stream: true }, reply, fault: { name: 'stream-stall', atEvent: 1 } },
    { on, reply, fault: { name: 'slow-head', ms: 5 } },
    {
      on: '*',
      faults: [
        { name: 'missing-field', path: 'data' },
        { name: 'slow-head', ms: 5 },
      ],
    },
  ]),
}

/** Returns true if every text reply has the scenario's text instead of a sample text. */
export const isScripted = (scenario: string) => ['broken', 'stalled'].includes(scenario)
