/**
 * The mark of each fault: what it leaves on the wire, and what to ask for so that it can. Not derived from the faults
 * themselves, so that it says what they promise.
 */
import type { FaultInput, FaultName } from '../../src/faults/index.ts'
import type { Protocol } from './in-responses-words.ts'

import type { Wire } from './wire.ts'

/** What a fault meets: the form of the answer, and the other fault of its rule. */
export interface Meeting {
  form: 'json' | 'stream'
  other: FaultName | undefined
  adapter: 'msw' | 'fetch' | 'node'
  protocol: Protocol
}

export interface Mark {
  setting: FaultInput
  shows(wire: Wire): boolean
}

const final = ['response.completed', 'response.incomplete', 'response.failed']
const added = 'response.output_text.annotation.added'
const envelopes: readonly FaultName[] = ['status', 'rate-limit', 'retry-after-date', 'error-body-in-200']

const inEnvelope = ({ other }: Meeting) => other !== undefined && envelopes.includes(other)
const pathIn = (meeting: Meeting) => {
  if (inEnvelope(meeting)) return 'error.message'
  if (meeting.protocol === 'messages') return meeting.form === 'stream' ? 'message.role' : 'role'
  return meeting.form === 'stream' && meeting.protocol === 'responses' ? 'response.object' : 'object'
}
const otherPathIn = (meeting: Meeting) => {
  if (inEnvelope(meeting))
    return meeting.protocol === 'messages' && meeting.other !== 'error-body-in-200'
      ? 'error.type'
      : 'error.code'
  if (meeting.form === 'json' || meeting.protocol === 'chat') return 'model'
  return meeting.protocol === 'messages' ? 'message.model' : 'response.model'
}
const fieldIn = (meeting: Meeting) => {
  if (inEnvelope(meeting)) return 'message'
  return meeting.protocol === 'messages' ? 'role' : 'object'
}
const onSocket = ({ adapter }: Meeting) => adapter === 'node'
const hasFinal = ({ types }: Wire) => types.some((type) => final.includes(type))
const numbers = ({ events }: Wire) => events.map((event) => event?.sequence_number)

export const marks: { [Name in FaultName]: (meeting: Meeting) => Mark } = {
  latency: () => ({
    setting: { name: 'latency', ms: 30 },
    shows: ({ headMs, endMs }) => Math.max(headMs, endMs) >= 29,
  }),
  timeout: () => ({ setting: 'timeout', shows: ({ ending }) => ending === 'unanswered' }),
  'connection-reset': () => ({ setting: 'connection-reset', shows: ({ ending }) => ending === 'rejected' }),
  'empty-response': () => ({ setting: 'empty-response', shows: ({ ending }) => ending === 'rejected' }),
  status: () => ({ setting: { name: 'status', status: 418 }, shows: ({ status }) => status === 418 }),
  'rate-limit': () => ({
    setting: 'rate-limit',
    shows: ({ status, headers }) => status === 429 && headers['x-ratelimit-limit'] === '60',
  }),
  'retry-after-date': () => ({
    setting: 'retry-after-date',
    shows: ({ headers }) => headers['retry-after'] === 'Thu, 01 Jan 2026 00:00:02 GMT',
  }),
  'malformed-body': () => ({
    setting: { name: 'malformed-body', body: '{"data":[{"id":1},{"id":2},{"id":' },
    shows: ({ text }) => text.startsWith('{"data":['),
  }),
  'html-error-page': () => ({
    setting: 'html-error-page',
    shows: ({ status, text }) => status === 502 && (text === '' || text.startsWith('<html>')),
  }),
  'random-bytes': () => ({ setting: 'random-bytes', shows: ({ body }) => body[0] === 0xff }),
  'empty-body': () => ({
    setting: { name: 'empty-body', status: 204 },
    shows: ({ status, body }) => status === 204 && body.length === 0,
  }),
  'error-body-in-200': () => ({
    setting: 'error-body-in-200',
    shows: ({ status, text }) => status === 200 && /^\{"error":\{"code":/.test(text),
  }),
  'json-instead-of-stream': () => ({
    setting: 'json-instead-of-stream',
    shows: ({ text }) => /^\{"id":"(resp|gen-|msg_)/.test(text),
  }),
  'stream-instead-of-json': () => ({
    setting: 'stream-instead-of-json',
    shows: ({ text }) => /^\uFEFF?(data|:)/.test(text),
  }),

  'missing-field': (meeting) => ({
    setting: { name: 'missing-field', path: pathIn(meeting) },
    shows: ({ text }) => text.length > 10 && !text.includes(`"${fieldIn(meeting)}":`),
  }),
  'wrong-type': (meeting) => ({
    setting: { name: 'wrong-type', path: otherPathIn(meeting), as: 'boolean' },
    shows: ({ text }) => /"(model|code|type)": ?true/.test(text),
  }),
  'duplicate-response-id': () => ({
    setting: 'duplicate-response-id',
    shows: ({ text }) => text.includes('resp_duplicate'),
  }),
  'missing-usage': ({ protocol }) => ({
    setting: 'missing-usage',
    shows: ({ text }) =>
      text.includes(protocol === 'responses' ? '"completed_at"' : '"model":') && !text.includes('"usage"'),
  }),
  'content-filter': ({ protocol }) => ({
    setting: 'content-filter',
    shows: ({ text }) => text.includes(protocol === 'messages' ? '"refusal"' : 'content_filter'),
  }),
  'citation-out-of-range': () => ({
    setting: { name: 'citation-out-of-range', by: 777_000 },
    shows: ({ text }) => /"start_index": ?77\d{4}\b/.test(text),
  }),
  'citation-out-of-order': () => ({
    setting: 'citation-out-of-order',
    shows({ text }) {
      const urls = [...text.matchAll(/"url": ?"([^"]+)"/g)].map(([, url]) => url)
      const places = [...text.matchAll(/\]\((https?:[^)\\]+)\)/g)].map(([, url]) => url)
      // The last page that the text cites comes first; before the text is told, any other than the first.
      return urls.length > 1 && urls[0] !== places[0]
    },
  }),
  'citation-missing-field': () => ({
    setting: { name: 'citation-missing-field', field: 'title' },
    shows: ({ text }) => /url_citation|web_search_result_location/.test(text) && !text.includes('"title"'),
  }),

  'citation-late': () => ({
    setting: 'citation-late',
    shows: ({ types }) => types.indexOf(added) > types.indexOf('response.output_text.done'),
  }),
  'citation-dropped-in-stream': () => ({
    setting: 'citation-dropped-in-stream',
    shows: ({ types }) => types.includes('response.output_text.done') && !types.includes(added),
  }),
  'stream-sequence-gap': () => ({
    setting: 'stream-sequence-gap',
    shows: (wire) => numbers(wire).some((number = 0, index, all) => number - (all[index - 1] ?? number) >= 5),
  }),
  // Only numbers tell the order of events.
  'stream-reordered-events': ({ protocol }) => ({
    setting: 'stream-reordered-events',
    shows: (wire) =>
      protocol !== 'responses' ||
      numbers(wire).some((number, index, all) => {
        if (number === undefined) return (all[index + 1] ?? 0) - (all[index - 1] ?? 0) === 1
        return number < (all[index - 1] ?? 0)
      }),
  }),
  'stream-huge-event': () => ({
    setting: { name: 'stream-huge-event', bytes: 5000 },
    shows: ({ text }) => text.includes('x'.repeat(2000)),
  }),
  'stream-malformed-event': () => ({
    setting: 'stream-malformed-event',
    shows: ({ events }) => events.includes(null),
  }),
  'stream-duplicate-event': () => ({
    setting: 'stream-duplicate-event',
    shows: ({ data }) => data.some((each, index) => each !== '' && each === data[index + 1]),
  }),
  'stream-unknown-event': () => ({
    setting: 'stream-unknown-event',
    shows: ({ types }) => types.includes('response.unknown_event'),
  }),
  'stream-empty-data': () => ({
    setting: 'stream-empty-data',
    shows: ({ text }) => /(^|[\r\n])data:(\r\n|\r|\n)(\r\n|\r|\n)/.test(text),
  }),
  'stream-error-event': () => ({
    setting: 'stream-error-event',
    shows: ({ types }) => types.at(-1) === 'response.failed' || types.includes('response.failed'),
  }),
  // The last chunk of a completion ends text and answer at once.
  'stream-without-completed': ({ protocol, other }) => ({
    setting: 'stream-without-completed',
    shows: (wire) =>
      !hasFinal(wire) &&
      (protocol === 'chat'
        ? wire.text.includes('[DONE]') || other === 'stream-without-done'
        : wire.types.includes('response.output_item.done')),
  }),
  'stream-without-done': () => ({
    setting: 'stream-without-done',
    shows: ({ ending, types, text }) =>
      ending !== 'open' && types.includes('response.output_item.done') && !text.includes('[DONE]'),
  }),
  'stream-data-after-done': () => ({
    setting: 'stream-data-after-done',
    shows: ({ text }) => /response\.created|"role":/.test(text.slice(text.indexOf('[DONE]'))),
  }),
  // A cut leaves fewer events where a stream begins with one alone.
  'slow-stream': ({ protocol }) => ({
    setting: { name: 'slow-stream', everyMs: 5 },
    shows: ({ endMs }) => endMs >= (protocol === 'responses' ? 30 : 12),
  }),
  'stream-cut': () => ({
    setting: 'stream-cut',
    shows: (wire) =>
      wire.types.includes('response.output_text.delta') && !hasFinal(wire) && !wire.text.includes('[DONE]'),
  }),
  'stream-reset': () => ({
    setting: 'stream-reset',
    shows: (wire) =>
      wire.ending === 'broken' && wire.types.includes('response.output_text.delta') && !hasFinal(wire),
  }),
  'stream-stall': () => ({
    setting: 'stream-stall',
    shows: (wire) => wire.ending === 'open' && !hasFinal(wire),
  }),

  'stream-multiline-data': () => ({
    setting: 'stream-multiline-data',
    shows: ({ text }) => /data:[^\r\n]*(\r\n|\r|\n)data:/.test(text),
  }),
  'stream-no-space': () => ({ setting: 'stream-no-space', shows: ({ text }) => /data:\{/.test(text) }),
  'stream-comments': () => ({
    setting: 'stream-comments',
    shows: ({ text }) => text.includes(': keep-alive'),
  }),
  'stream-bom': () => ({
    setting: 'stream-bom',
    shows: ({ body }) => body.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf)),
  }),
  'stream-crlf': () => ({
    setting: 'stream-crlf',
    shows: ({ text }) => text.includes('\r\n') && !/[^\r]\n/.test(text),
  }),
  'stream-lone-cr': () => ({
    setting: 'stream-lone-cr',
    shows: ({ text }) => text.includes('\r') && !text.includes('\n'),
  }),
  'stream-split-crlf': ({ adapter, other = '' }) => ({
    setting: 'stream-split-crlf',
    shows: ({ text, chunks }) =>
      text.includes('\r\n') &&
      (adapter === 'msw' || /gzip|length/.test(other) || chunks.some((chunk) => chunk.at(-1) === 13)),
  }),

  'wrong-content-type': () => ({
    setting: 'wrong-content-type',
    shows: ({ headers }) => headers['content-type'] === 'text/plain',
  }),
  'gzip-body': (meeting) => ({
    setting: 'gzip-body',
    shows: ({ raw, headers }) =>
      headers['content-encoding'] === 'gzip' && (!onSocket(meeting) || (raw[0] === 0x1f && raw[1] === 0x8b)),
  }),
  'broken-gzip': () => ({ setting: 'broken-gzip', shows: ({ ending }) => ending === 'broken' }),
  'truncated-body': () => ({
    setting: 'truncated-body',
    shows: ({ ending, status }) => ending === 'broken' && status > 0,
  }),
  'short-content-length': (meeting) => ({
    setting: 'short-content-length',
    shows: ({ headers, sentBytes = 0, raw }) =>
      onSocket(meeting)
        ? Number(headers['content-length']) === sentBytes - 10
        : Number(headers['content-length']) === raw.length || headers['content-encoding'] === 'gzip',
  }),
  'slow-body': () => ({
    setting: { name: 'slow-body', ms: 30, chunks: 3 },
    shows: ({ endMs }) => endMs >= 29,
  }),
  bandwidth: () => ({
    setting: { name: 'bandwidth', bytesPerSecond: 100_000 },
    // A timer of Node may be a millisecond early.
    shows: ({ endMs, raw }) => endMs >= raw.length / 125 - 1,
  }),
  'stream-joined': () => ({
    setting: { name: 'stream-joined', ms: 30 },
    shows: ({ headMs }) => headMs >= 29,
  }),
  // Without the chunks of HTTP, only the segments of TCP are left, which a busy reader finds joined.
  'stream-split': ({ adapter, other }) => ({
    setting: { name: 'stream-split', bytes: 50 },
    shows: ({ chunks }) =>
      adapter === 'msw' ||
      (adapter === 'node' && other === 'short-content-length') ||
      chunks.every((chunk) => chunk.length <= 50),
  }),

  'slow-head': (meeting) => ({
    setting: { name: 'slow-head', ms: 30 },
    shows: ({ headPieces = 0, headMs }) => (onSocket(meeting) ? headPieces > 1 : headMs >= 29),
  }),
  'truncated-head': (meeting) => ({
    setting: 'truncated-head',
    shows: ({ ending, status, raw }) =>
      onSocket(meeting) ? ending === 'broken' && status > 0 && raw.length === 0 : ending === 'rejected',
  }),
  'idle-connection-closed': () => ({
    setting: 'idle-connection-closed',
    shows: ({ closed }) => closed === true,
  }),
  'lost-reply': () => ({ setting: 'lost-reply', shows: ({ ending }) => ending === 'rejected' }),
}
