/** Tests that secrets planted anywhere in an exchange do not reach any file. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startRecorder } from '../../../src/extras/recordings/record.ts'
import { parseRecording } from '../../../src/extras/recordings/recording.ts'
import { environmentSecrets, Redactor, upstreamSecrets } from '../../../src/extras/recordings/redact.ts'
import { random } from '../../../src/lib/seed.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { ask, joined, splitPoints, startUpstream } from './streams.ts'

const root = temporaryFolder()
let folders = 0

/** Returns five random secrets of five kinds. */
function secretsOf(seed: number): string[] {
  const next = random('secrets', seed)
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  const some = (length: number) =>
    Array.from({ length }, () => letters[Math.floor(next() * letters.length)]).join('')
  return [
    `sk-or-v1-${some(40)}7`,
    `ghp_${some(36)}`,
    `AKIA${some(16).toUpperCase()}`,
    `hunter/${some(8)}+"9"=`,
    `Pä${some(12)}ß`,
  ]
}

interface Planted {
  path?: string
  headers?: Record<string, string>
  body?: unknown
  responseHeaders?: Record<string, string>
  /** Chunks written by the upstream. */
  chunks?: (string | Buffer)[]
}

const json = (value: unknown) => JSON.stringify(value)
const event = (value: unknown) => `data: ${json(value)}\n\n`
const halves = (text: string | Buffer) => {
  const bytes = Buffer.from(text)
  return [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)]
}

const places: Record<string, (secret: string) => Planted> = {
  'a request header': (secret) => ({ headers: { 'x-custom-auth': encodeURIComponent(secret) } }),
  'the query': (secret) => ({ path: `/providers?q=${encodeURIComponent(secret)}` }),
  'a query encoded twice': (secret) => ({
    path: `/providers?u=${encodeURIComponent(`/a?q=${encodeURIComponent(secret)}`)}`,
  }),
  'the path': (secret) => ({ path: `/presets/${encodeURIComponent(secret)}` }),
  'the request body': (secret) => ({ body: { model: 'a/b', input: `use ${secret} please` } }),
  'JSON in the request body': (secret) => ({ body: { input: json({ note: secret }) } }),
  'base64 in the request body': (secret) => ({
    body: { file: Buffer.from(`x${secret}y and more`).toString('base64') },
  }),
  'a reply header': (secret) => ({ responseHeaders: { 'x-echo': encodeURIComponent(secret) } }),
  'the reply body': (secret) => ({ chunks: [json({ echo: secret })] }),
  'an event': (secret) => ({ chunks: [event({ type: 'x' }), event({ type: 'y', text: `so ${secret}!` })] }),
  'an event split into two chunks': (secret) => ({ chunks: halves(event({ text: secret })) }),
  'base64 split into two chunks': (secret) => ({
    chunks: halves(event({ image: Buffer.from(`12${secret}345678`).toString('base64') })),
  }),
  'an event split into single bytes': (secret) => ({
    chunks: [...Buffer.from(event({ text: secret }))].map((byte) => Buffer.from([byte])),
  }),
}

/** Returns a secret as plain text, in JSON, in JSON within JSON, and URL-encoded. */
function forms(secret: string): string[] {
  const escaped = json(secret).slice(1, -1)
  const url = encodeURIComponent(secret)
  return [secret, escaped, json(escaped).slice(1, -1), url, encodeURIComponent(url)]
}

/** Returns all text in a recording, including base64 decoded at every offset. */
function everything(text: string): string {
  const recording = parseRecording(text)
  const body = Buffer.concat(
    recording.chunks.map((chunk) =>
      Buffer.from(String(chunk.text ?? chunk.base64), chunk.text === undefined ? 'base64' : 'utf8'),
    ),
  ).toString()
  const all = `${text}\n${body}\n${json(recording.request ?? '')}`
  const decoded = [...all.matchAll(/[A-Za-z0-9+/_-]{16,}/g)].flatMap(([run]) =>
    [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64').toString()),
  )
  return [all, ...decoded].join('\n')
}

describe('redaction', () => {
  for (const [place, plant] of Object.entries(places)) {
    it(`removes five secrets in ${place} from every file, keeping lengths and chunk boundaries`, async () => {
      for (const secret of secretsOf(Object.keys(places).indexOf(place))) {
        const planted = plant(secret)
        const chunks = planted.chunks ?? ['{}']
        await using upstream = await startUpstream(async (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream', ...planted.responseHeaders })
          for (const chunk of chunks) {
            response.write(chunk)
            await new Promise((resolve) => setImmediate(resolve))
          }
          response.end()
        })
        const out = join(root, String(++folders))
        const redactor = new Redactor({ values: [{ kind: 'environment TEST_KEY', value: secret }] })
        const recorder = await startRecorder({ upstream: upstream.url, recordings: out, redactor })
        const { path = '/responses', ...rest } = planted
        const seen = await ask(recorder.baseUrl, path, rest)
        await recorder.close()
        expect(joined(seen.chunks)).toBe(joined(chunks.map((chunk) => ({ bytes: Buffer.from(chunk) }))))

        const [file = ''] = await readdir(out)
        const text = await readFile(join(out, file), 'utf8')
        const all = everything(text) + file
        for (const form of forms(secret))
          expect(all.includes(form), `${place}: ${form} in ${text}`).toBe(false)
        expect(text).toContain('redacted.')
        const bytes = parseRecording(text).chunks.map((chunk) => ({
          bytes: Buffer.from(
            String(chunk.text ?? chunk.base64),
            chunk.text === undefined ? 'base64' : 'utf8',
          ),
        }))
        expect(splitPoints(bytes)).toEqual(splitPoints(seen.chunks))
      }
    })
  }

  it('removes secret fields regardless of case, dashes and underscores, but keeps token counts', () => {
    const value = 'hushhushhushhush'
    const secret = {
      auth: value,
      Bearer: value,
      credential: value,
      connectionString: value,
      'signing-key': value,
      pwd: value,
      SESSION_ID: value,
      token: value,
    }
    const readable = {
      max_tokens: '5',
      token_count: '6',
      prompt_tokens: '7',
      author: 'Ada Lovelace',
      tokenizer: 'wordpieces',
      logprobs: [{ token: 'internationalization', logprob: -1, bytes: null }],
    }
    const text = json({ ...secret, ...readable, arguments: json(secret) })
    const redactor = new Redactor()
    const [reply] = redactor.chunks([{ ms: 1, bytes: Buffer.from(text) }], () => {})
    const clean = Buffer.from(reply?.bytes ?? []).toString()
    expect(clean).not.toContain('hush')
    expect(clean).toHaveLength(text.length)
    expect(JSON.parse(clean)).toMatchObject(readable)
    const query = new URLSearchParams(secret).toString()
    const asked = { method: 'GET', path: '/providers', query: `?${query}`, headers: {} }
    expect(redactor.request(asked).request.query).not.toContain('hush')
  })

  it('reads secrets from environment variables with secret names', () => {
    const found = environmentSecrets({
      GATEWAY_KEY: 'abcdefgh',
      npm_token: '12345678',
      SHORT_KEY: 'abc',
      PATH: '/usr/bin:/bin',
    })
    expect(found.map(({ kind }) => kind)).toEqual(['environment GATEWAY_KEY', 'environment npm_token'])
  })

  it('reads the key of an upstream, and its credentials unless they are shorter than 8 characters', () => {
    const valuesOf = (upstream: string, key?: string) =>
      upstreamSecrets(new URL(upstream), key).map(({ value }) => value)
    expect(valuesOf('https://a.example', 'k')).toEqual(['k'])
    expect(valuesOf('https://abcdefgh:1234567@a.example')).toEqual(['abcdefgh:1234567', 'abcdefgh'])
    expect(valuesOf('https://a:b@a.example')).toEqual([])
    expect(valuesOf('https://a:b%C3%BC345678@a.example')).toEqual(['a:bü345678', 'bü345678'])
    // Bytes that are not UTF-8.
    expect(valuesOf('https://a:%FF345678@a.example')).toEqual(['a:%FF345678', '%FF345678'])
    expect(valuesOf('https://abcdefgh@a.example')).toEqual(['abcdefgh:', 'abcdefgh'])
  })
})
