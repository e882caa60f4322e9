/** Lists each fault's setting and expected effect on the wire. Written independently of the code under test. */
import type { Fault, FaultName } from '../../src/faults/index.ts'
import type { Protocol } from './responses-types.ts'

import type { Wire } from './wire.ts'

/** Circumstances in which a fault acts: reply format, the rule's other fault, adapter and protocol. */
export interface FaultContext {
  form: 'json' | 'stream'
  other: FaultName | undefined
  adapter: 'msw' | 'fetch' | 'node'
  protocol: Protocol
}

export interface ExpectedEffect {
  setting: Fault
  /** Returns true if the effect is visible on the wire. */
  isIn(wire: Wire): boolean
}

const final = ['response.completed', 'response.incomplete', 'response.failed']
const envelopes: readonly FaultName[] = ['status', 'rate-limit', 'retry-after-date', 'error-body-in-200']

const inEnvelope = ({ other }: FaultContext) => other !== undefined && envelopes.includes(other)
const pathIn = (context: FaultContext) => {
  if (inEnvelope(context)) return 'error.message'
  if (context.protocol === 'messages') return context.form === 'stream' ? 'message.role' : 'role'
  return context.form === 'stream' && context.protocol === 'responses' ? 'response.object' : 'object'
}
const fieldIn = (context: FaultContext) => {
  if (inEnvelope(context)) return 'message'
  return context.protocol === 'messages' ? 'role' : 'object'
}
const onSocket = ({ adapter }: FaultContext) => adapter === 'node'
const hasFinal = ({ types }: Wire) => types.some((type) => final.includes(type))
const numbers = ({ events }: Wire) => events.map((event) => event?.sequence_number)

export const expectedEffects: { [Name in FaultName]: (context: FaultContext) => ExpectedEffect } = {
  latency: () => ({
    setting: { name: 'latency', ms: 30 },
    isIn: ({ headMs, endMs }) => Math.max(headMs, endMs) >= 29,
  }),
  timeout: () => ({ setting: 'timeout', isIn: ({ ending }) => ending === 'unanswered' }),
  'connection-reset': () => ({ setting: 'connection-reset', isIn: ({ ending }) => ending === 'rejected' }),
  'empty-response': () => ({ setting: 'empty-response', isIn: ({ ending }) => ending === 'rejected' }),
  status: () => ({ setting: { name: 'status', status: 418 }, isIn: ({ status }) => status === 418 }),
  'rate-limit': () => ({
    setting: 'rate-limit',
    isIn: ({ status, headers }) => status === 429 && headers['x-ratelimit-limit'] === '60',
  }),
  'retry-after-date': () => ({
    setting: 'retry-after-date',
    isIn: ({ headers }) => headers['retry-after'] === 'Thu, 01 Jan 2026 00:00:02 GMT',
  }),
  'malformed-body': () => ({
    setting: { name: 'malformed-body', body: '{"data":[{"id":1},{"id":2},{"id":' },
    isIn: ({ text }) => text.startsWith('{"data":['),
  }),
  'html-error-page': () => ({
    setting: 'html-error-page',
    isIn: ({ status, text }) => status === 502 && (text === '' || text.startsWith('<html>')),
  }),
  'random-bytes': () => ({ setting: 'random-bytes', isIn: ({ body }) => body[0] === 0xff }),
  'empty-body': () => ({
    setting: { name: 'empty-body', status: 204 },
    isIn: ({ status, body }) => status === 204 && body.length === 0,
  }),
  'error-body-in-200': () => ({
    setting: 'error-body-in-200',
    isIn: ({ status, text }) => status === 200 && /^\{"error":\{"code":/.test(text),
  }),
  'json-instead-of-stream': () => ({
    setting: 'json-instead-of-stream',
    isIn: ({ text }) => /^\{"id":"(resp|gen-|msg_)/.test(text),
  }),
  'stream-instead-of-json': () => ({
    setting: 'stream-instead-of-json',
    isIn: ({ text }) => /^\uFEFF?(data|:)/.test(text),
  }),

  field: (context) => ({
    setting: { name: 'field', path: pathIn(context) },
    isIn: ({ text }) => text.length > 10 && !text.includes(`"${fieldIn(context)}":`),
  }),
  'duplicate-response-id': () => ({
    setting: 'duplicate-response-id',
    isIn: ({ text }) => text.includes('resp_duplicate'),
  }),
  usage: ({ protocol }) => ({
    setting: 'usage',
    isIn: ({ text }) =>
      text.includes(protocol === 'responses' ? '"completed_at"' : '"model":') && !text.includes('"usage"'),
  }),
  'content-filter': ({ protocol }) => ({
    setting: 'content-filter',
    isIn: ({ text }) => text.includes(protocol === 'messages' ? '"refusal"' : 'content_filter'),
  }),
  'citation-out-of-range': () => ({
    setting: { name: 'citation-out-of-range', by: 777_000 },
    isIn: ({ text }) => /"start_index": ?77\d{4}\b/.test(text),
  }),
  'citation-missing-field': () => ({
    setting: { name: 'citation-missing-field', field: 'title' },
    isIn: ({ text }) =>
      /url_citation|web_search_result_location/.test(text) &&
      !/"title"[^{}]*"(?:start|encrypted)_index"/.test(text),
  }),
  'tool-arguments': () => ({ setting: 'tool-arguments', isIn: () => false }),
  'tool-call': () => ({ setting: 'tool-call', isIn: () => false }),
  answer: () => ({
    setting: { name: 'answer', form: 'fenced-json' },
    isIn: ({ text }) => text.includes('```'),
  }),

  'stream-sequence-gap': () => ({
    setting: 'stream-sequence-gap',
    isIn: (wire) => numbers(wire).some((number = 0, index, all) => number - (all[index - 1] ?? number) >= 5),
  }),
  // Only the Responses protocol's sequence numbers reveal the order of events.
  'stream-reordered-events': ({ protocol }) => ({
    setting: 'stream-reordered-events',
    isIn: (wire) =>
      protocol !== 'responses' ||
      numbers(wire).some((number, index, all) => {
        if (number === undefined) return (all[index + 1] ?? 0) - (all[index - 1] ?? 0) === 1
        return number < (all[index - 1] ?? 0)
      }),
  }),
  'stream-huge-event': () => ({
    setting: { name: 'stream-huge-event', bytes: 5000 },
    isIn: ({ text }) => text.includes('x'.repeat(2000)),
  }),
  'stream-malformed-event': () => ({
    setting: 'stream-malformed-event',
    isIn: ({ events }) => events.includes(null),
  }),
  'stream-duplicate-event': () => ({
    setting: 'stream-duplicate-event',
    isIn: ({ data }) => data.some((each, index) => each !== '' && each === data[index + 1]),
  }),
  'stream-unknown-event': () => ({
    setting: 'stream-unknown-event',
    isIn: ({ types }) => types.includes('response.unknown_event'),
  }),
  'stream-empty-data': () => ({
    setting: 'stream-empty-data',
    isIn: ({ text }) => /(^|[\r\n])data:(\r\n|\r|\n)(\r\n|\r|\n)/.test(text),
  }),
  'stream-error-event': () => ({
    setting: 'stream-error-event',
    isIn: ({ types }) => types.at(-1) === 'response.failed' || types.includes('response.failed'),
  }),
  // The last chunk of a chat completion ends both the text and the reply.
  'stream-without-completed': ({ protocol, other }) => ({
    setting: 'stream-without-completed',
    isIn: (wire) =>
      !hasFinal(wire) &&
      (protocol === 'chat'
        ? wire.text.includes('[DONE]') || other === 'stream-without-done'
        : wire.types.includes('response.output_item.done')),
  }),
  'stream-without-done': () => ({
    setting: 'stream-without-done',
    isIn: ({ ending, types, text }) =>
      ending !== 'open' && types.includes('response.output_item.done') && !text.includes('[DONE]'),
  }),
  'stream-data-after-done': () => ({
    setting: 'stream-data-after-done',
    isIn: ({ text }) => /response\.created|"role":/.test(text.slice(text.indexOf('[DONE]'))),
  }),
  // Chat and messages streams have fewer events, in particular if another fault cuts them.
  'slow-stream': ({ protocol }) => ({
    setting: { name: 'slow-stream', perToken: 5 },
    isIn: ({ endMs }) => endMs >= (protocol === 'responses' ? 30 : 12),
  }),
  'stream-cut': () => ({
    setting: 'stream-cut',
    isIn: (wire) =>
      wire.types.includes('response.output_text.delta') && !hasFinal(wire) && !wire.text.includes('[DONE]'),
  }),
  'stream-reset': () => ({
    setting: 'stream-reset',
    isIn: (wire) =>
      wire.ending === 'broken' && wire.types.includes('response.output_text.delta') && !hasFinal(wire),
  }),
  'stream-stall': () => ({
    setting: 'stream-stall',
    isIn: (wire) => wire.ending === 'open' && !hasFinal(wire),
  }),

  'stream-multiline-data': () => ({
    setting: 'stream-multiline-data',
    isIn: ({ text }) => /data:[^\r\n]*(\r\n|\r|\n)data:/.test(text),
  }),
  'stream-no-space': () => ({ setting: 'stream-no-space', isIn: ({ text }) => /data:\{/.test(text) }),
  'stream-comments': () => ({
    setting: 'stream-comments',
    isIn: ({ text }) => text.includes(': keep-alive'),
  }),
  'stream-bom': () => ({
    setting: 'stream-bom',
    isIn: ({ body }) => body.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf)),
  }),
  'stream-crlf': () => ({
    setting: 'stream-crlf',
    isIn: ({ text }) => text.includes('\r\n') && !/[^\r]\n/.test(text),
  }),
  'stream-lone-cr': () => ({
    setting: 'stream-lone-cr',
    isIn: ({ text }) => text.includes('\r') && !text.includes('\n'),
  }),
  'stream-split-crlf': ({ adapter, other = '' }) => ({
    setting: 'stream-split-crlf',
    isIn: ({ text, chunks }) =>
      text.includes('\r\n') &&
      (adapter === 'msw' || /gzip|length/.test(other) || chunks.some((chunk) => chunk.at(-1) === 13)),
  }),

  'wrong-content-type': () => ({
    setting: 'wrong-content-type',
    isIn: ({ headers }) => headers['content-type'] === 'text/plain',
  }),
  'gzip-body': (context) => ({
    setting: 'gzip-body',
    isIn: ({ raw, headers }) =>
      headers['content-encoding'] === 'gzip' && (!onSocket(context) || (raw[0] === 0x1f && raw[1] === 0x8b)),
  }),
  'broken-gzip': () => ({ setting: 'broken-gzip', isIn: ({ ending }) => ending === 'broken' }),
  'truncated-body': () => ({
    setting: 'truncated-body',
    isIn: ({ ending, status }) => ending === 'broken' && status > 0,
  }),
  'body-stall': () => ({
    setting: 'body-stall',
    isIn: ({ ending, status }) => ending === 'open' && status > 0,
  }),
  'short-content-length': (context) => ({
    setting: 'short-content-length',
    isIn: ({ headers, sentBytes = 0, raw }) =>
      onSocket(context)
        ? Number(headers['content-length']) === sentBytes - 10
        : Number(headers['content-length']) === raw.length || headers['content-encoding'] === 'gzip',
  }),
  'slow-body': () => ({
    setting: { name: 'slow-body', ms: 30, chunks: 3 },
    isIn: ({ endMs }) => endMs >= 29,
  }),
  bandwidth: () => ({
    setting: { name: 'bandwidth', bytesPerSecond: 100_000 },
    // Node's timers may fire a millisecond early.
    isIn: ({ endMs, raw }) => endMs >= raw.length / 125 - 1,
  }),
  'stream-joined': () => ({
    setting: { name: 'stream-joined', ms: 30 },
    isIn: ({ headMs }) => headMs >= 29,
  }),
  // Without HTTP chunks, only TCP segments remain, and a busy reader receives them merged.
  'stream-split': ({ adapter, other }) => ({
    setting: { name: 'stream-split', bytes: 50 },
    isIn: ({ chunks }) =>
      adapter === 'msw' ||
      (adapter === 'node' && other === 'short-content-length') ||
      chunks.every((chunk) => chunk.length <= 50),
  }),

  'slow-head': (context) => ({
    setting: { name: 'slow-head', ms: 30 },
    isIn: ({ headPieces = 0, headMs }) => (onSocket(context) ? headPieces > 1 : headMs >= 29),
  }),
  'truncated-head': (context) => ({
    setting: 'truncated-head',
    isIn: ({ ending, status, raw }) =>
      onSocket(context) ? ending === 'broken' && status > 0 && raw.length === 0 : ending === 'rejected',
  }),
  'idle-connection-closed': () => ({
    setting: 'idle-connection-closed',
    isIn: ({ closed }) => closed === true,
  }),
  'lost-reply': () => ({ setting: 'lost-reply', isIn: ({ ending }) => ending === 'rejected' }),
}
