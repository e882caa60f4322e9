/**
 * Tests that processing time is proportional to the size of recordings, imported files and text with secrets.
 */
import { expect, it } from 'vitest'
import { importHar, importJournal, importStream } from '../../../src/extras/recordings/import.ts'
import { formatRecording, parseRecording } from '../../../src/extras/recordings/recording.ts'
import { SecretFinder } from '../../../src/extras/recordings/secrets.ts'
import { createGateway } from '../../../src/index.ts'
import {
  gatewayWithCalls,
  growthOf,
  list,
  type Prepare,
  secrets,
} from '../../payload-scaling/large-inputs.ts'

const stream = (count: number) =>
  `${'data: {"type":"response.output_text.delta","delta":"x"}\n\n'.repeat(count)}data: [DONE]\n\n`
const recording = (count: number) => ({
  head: { tape: 1, operation: 'createResponse', dialect: 'neutral', key: '0123456789abcdef', redacted: [] },
  request: { method: 'POST', path: '/responses', query: '', headers: {}, json: { model: 'a', input: 'x' } },
  reply: { ms: 1, status: 200, headers: { 'content-type': 'text/event-stream' } },
  chunks: list(count, (index) => ({ ms: index, text: 'data: {"a":1}\n\n' })),
  end: { end: 'fin', ms: count, bytes: 15 * count },
})

const places: Readonly<Record<string, Prepare>> = {
  'imported journal entries': async (count) => {
    const text = JSON.stringify({ data: (await gatewayWithCalls(count >> 3)).journal.entries() })
    return () => importJournal(text, 'journal.json')
  },
  'entries of a HAR file': async (count) => {
    const text = JSON.stringify((await gatewayWithCalls(count >> 3)).journal.har())
    return () => importHar(text, 'calls.har', '/api/v1')
  },
  'events of an imported stream': (count) => {
    const bytes = Buffer.from(stream(count))
    return () => importStream(bytes, 'stream.txt', undefined)
  },
  'chunks of a recording': (count) => {
    const text = formatRecording(recording(count) as never)
    return () => parseRecording(text)
  },
  'recordings of a gateway': (count) => {
    const recordings = list(count >> 3, (index) => ({
      ...recording(1),
      head: { ...recording(1).head, key: `${index}`.padStart(16, '0') },
    }))
    return () => createGateway({ recordings: recordings as never })
  },
  'secrets in a text': (count) => {
    const finder = new SecretFinder()
    return () => finder.find(secrets(count))
  },
  ...Object.fromEntries(
    [
      ...[
        'a-',
        'a.',
        'sk-',
        '\\',
        '-----BEGIN PRIVATE KEY-----',
        '"api_key" ',
        'eyJa.',
        'eyJ-',
        '"a":',
        '&a=',
      ],
      ...['Bearer ', 'a://b'],
    ].map((unit): [string, Prepare] => [
      `possible starts of a secret: ${unit}`,
      (count) => {
        const finder = new SecretFinder()
        const text = `${unit.repeat((32 * count) / unit.length)}!`
        return () => finder.find(text)
      },
    ]),
  ),
  'known secrets': (count) => {
    const values = list(count >> 3, (index) => ({ kind: 'a', value: `secret-value-${index}` }))
    const text = 'x'.repeat(1000)
    return () => new SecretFinder({ values }).find(text)
  },
}

it.each(Object.entries(places))(
  'processing time grows in proportion to the number of %s',
  { retry: 3 },
  async (_, prepare) => {
    expect(await growthOf(prepare)).toBeLessThanOrEqual(10)
  },
)
