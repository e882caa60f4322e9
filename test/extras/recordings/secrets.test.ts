/**
 * Tests that secrets planted anywhere in an exchange do not reach any file, that secrets planted in
 * recordings are found, and that clean recordings have no findings.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRecorder } from '../../../src/extras/recordings/record.ts'
import {
  formatRecording,
  parseRecording,
  type Recording,
  toChunk,
} from '../../../src/extras/recordings/recording.ts'
import {
  environmentSecrets,
  fillValue,
  Redactor,
  upstreamSecrets,
} from '../../../src/extras/recordings/redact.ts'
import { scanFolder, scanRecording } from '../../../src/extras/recordings/scan.ts'
import { SecretFinder } from '../../../src/extras/recordings/secrets.ts'
import { random } from '../../../src/lib/seed.ts'
import { cases } from '../../suite-size.ts'
import { randomAsks, recordingsOfMock } from './mock-recordings.ts'
import { ask, joined, splitPoints, startUpstream } from './streams.ts'

let root: string
let folders = 0
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'understudy-secrets-'))
})
afterAll(() => rm(root, { recursive: true }))

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
  replyHeaders?: Record<string, string>
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
  'the path': (secret) => ({ path: `/presets/${encodeURIComponent(secret)}` }),
  'the request body': (secret) => ({ body: { model: 'a/b', input: `use ${secret} please` } }),
  'JSON in the request body': (secret) => ({ body: { input: json({ note: secret }) } }),
  'base64 in the request body': (secret) => ({
    body: { file: Buffer.from(`x${secret}y and more`).toString('base64') },
  }),
  'a reply header': (secret) => ({ replyHeaders: { 'x-echo': encodeURIComponent(secret) } }),
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
  return [secret, escaped, json(escaped).slice(1, -1), encodeURIComponent(secret)]
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
          response.writeHead(200, { 'content-type': 'text/event-stream', ...planted.replyHeaders })
          for (const chunk of chunks) {
            response.write(chunk)
            await new Promise((resolve) => setImmediate(resolve))
          }
          response.end()
        })
        const out = join(root, String(++folders))
        const redactor = new Redactor({ values: [{ kind: 'environment TEST_KEY', value: secret }] })
        const recorder = await startRecorder({ upstream: upstream.url, out, redactor })
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

  it('removes keys of known formats, secret fields and unlisted headers without knowing their values', async () => {
    const redactor = new Redactor()
    const { request } = redactor.request({
      method: 'POST',
      path: '/responses',
      query: '?api_key=abc123',
      headers: { authorization: 'Bearer abc', cookie: 'a=b', 'content-type': 'application/json' },
      json: { password: 'hunter2', max_output_tokens: 5, text: `key ${secretsOf(1)[0]}` },
    })
    expect(request.headers['content-type']).toBe('application/json')
    for (const value of ['hunter2', 'abc123', 'Bearer abc', 'a=b', 'sk-or'])
      expect(json(request)).not.toContain(value)
    expect(request.json).toMatchObject({ max_output_tokens: 5 })
  })

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
    const body = redactor.body()
    const reply = [...body.push(1, Buffer.from(text)), ...body.end()]
    const clean = Buffer.from(reply[0]?.bytes ?? []).toString()
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

  it('deletes a recording if the final check finds a secret that is split across events', async () => {
    const [secret = ''] = secretsOf(99)
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const [first, second] = [secret.slice(0, 20), secret.slice(20)]
      for (const delta of [first, second])
        response.write(event({ type: 'response.output_text.delta', item_id: 'm', delta }))
      response.end('data: [DONE]\n\n')
    })
    const out = join(root, String(++folders))
    const kinds: string[] = []
    const recorder = await startRecorder({
      upstream: upstream.url,
      out,
      redactor: new Redactor(),
      onExchange: ({ result }) => kinds.push(result.kind),
    })
    await ask(recorder.baseUrl, '/responses', { body: {} })
    await recorder.close()
    expect(kinds).toEqual(['leaked'])
    expect(await readdir(out)).toEqual([])
  })

  it('replaces text with filler of the same shape, so that lengths, links and offsets are unchanged', () => {
    const redactor = new Redactor({ text: true })
    const body = redactor.body()
    const text = event({
      type: 'response.output_text.delta',
      delta: 'Tides – [moon.example](https://moon.example/a1) 🌊\n"so"',
    })
    const [clean] = [...body.push(1, Buffer.from(text)), ...body.end()]
    const filled = Buffer.from(clean?.bytes ?? []).toString()
    expect(Buffer.byteLength(filled)).toBe(Buffer.byteLength(text))
    expect(JSON.parse(filled.slice('data: '.length)).delta).toBe(
      'Xxxxx € [xxxx.xxxxxxx](xxxxx://xxxx.xxxxxxx/x1) 😀\n"xx"',
    )
  })

  it('keeps values that are not text, such as models, ids and tags', () => {
    expect(fillValue('plain')).toBe('plain')
    expect(
      fillValue({ model: 'aurora/dawn-2', tags: ['a'], text: ['Tides', { id: 'x', title: 'Moon' }] }),
    ).toEqual({
      model: 'aurora/dawn-2',
      tags: ['a'],
      text: ['Xxxxx', { id: 'x', title: 'Xxxx' }],
    })
  })
})

/** Returns a recording with a secret in one of several places, as a careless tool might have written it. */
function recordingWith(secret: string, place: number): Recording {
  const recording: Recording = {
    head: {
      recording: 1,
      operation: 'createResponse',
      dialect: 'neutral',
      key: '0123456789abcdef',
      redacted: [],
    },
    request: {
      method: 'POST',
      path: '/responses',
      query: '',
      headers: { 'content-type': 'application/json' },
      json: { input: 'Hello' },
    },
    reply: { ms: 1, status: 200, headers: { 'content-type': 'text/event-stream' } },
    chunks: [],
    end: { end: 'fin', ms: 9, bytes: 0 },
  }
  const request = recording.request as NonNullable<Recording['request']>
  const reply = recording.reply as NonNullable<Recording['reply']>
  let chunks: (string | Buffer)[] = [event({ type: 'x' })]
  const plant: (() => void)[] = [
    () => void Object.assign(request.headers, { authorization: `Bearer ${secret}` }),
    () => void Object.assign(request, { query: `?api_key=${encodeURIComponent(secret)}` }),
    () => void Object.assign(request, { path: `/presets/${encodeURIComponent(secret)}` }),
    () => void Object.assign(request, { json: { input: `use ${secret}` } }),
    () => void Object.assign(request, { json: { input: json({ password: secret }) } }),
    () => void Object.assign(request, { json: { file: Buffer.from(`x ${secret} y`).toString('base64') } }),
    () => void Object.assign(reply.headers, { 'set-cookie': `s=${encodeURIComponent(secret)}` }),
    () => {
      chunks = [json({ echo: secret })]
    },
    () => {
      chunks = [event({ type: 'x' }), event({ text: secret })]
    },
    () => {
      chunks = halves(event({ text: secret }))
    },
    () => {
      chunks = halves(event({ image: Buffer.from(`ab ${secret}`).toString('base64') }))
    },
    () => {
      chunks = [secret.slice(0, 9), secret.slice(9)].map((delta) => event({ type: 'd', item_id: 'm', delta }))
    },
  ]
  plant[place]?.()
  const bytes = chunks.map((chunk) => Buffer.from(chunk))
  recording.chunks = bytes.map((each, index) => toChunk(index + 2, each))
  return {
    ...recording,
    end: { end: 'fin', ms: 9, bytes: bytes.reduce((sum, { length }) => sum + length, 0) },
  }
}

describe('scan', () => {
  it('finds sixty secrets planted in twelve places of recordings', async () => {
    for (let place = 0; place < 12; place++) {
      for (const secret of secretsOf(100 + place)) {
        const folder = join(root, `scan-${++folders}`)
        await mkdir(folder)
        await writeFile(join(folder, 'a.recording.jsonl'), formatRecording(recordingWith(secret, place)))
        const finder = new SecretFinder({ values: [{ kind: 'environment TEST_KEY', value: secret }] })
        const { leaks } = await scanFolder(folder, finder)
        expect(leaks.length, `place ${place}: ${secret}`).toBeGreaterThan(0)
        for (const form of forms(secret)) expect(json(leaks)).not.toContain(form)
      }
    }
  })

  it('finds keys of known formats in every place without knowing their values', async () => {
    const finder = new SecretFinder()
    for (let place = 0; place < 12; place++)
      for (const secret of secretsOf(200 + place).slice(0, 3)) {
        const folder = join(root, `scan-${++folders}`)
        await mkdir(folder)
        await writeFile(join(folder, 'a.recording.jsonl'), formatRecording(recordingWith(secret, place)))
        expect((await scanFolder(folder, finder)).leaks.length, `place ${place}: ${secret}`).toBeGreaterThan(
          0,
        )
      }
  })

  it('reads every file in a folder and reports file, line and kind', async () => {
    const [secret = ''] = secretsOf(3)
    const folder = join(root, `scan-${++folders}`)
    await mkdir(join(folder, 'deep'), { recursive: true })
    await writeFile(join(folder, 'deep', 'notes.txt'), `one\ntwo ${secret}\n`)
    await writeFile(
      join(folder, 'packed.har.gz'),
      gzipSync(json({ headers: [{ name: 'Authorization', value: `Bearer ${secret}` }] })),
    )
    await writeFile(
      join(folder, 'utf16.txt'),
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(secret, 'utf16le')]),
    )
    const wide = Buffer.from(secret, 'utf16le').swap16()
    await writeFile(join(folder, 'utf16be.txt'), Buffer.concat([Buffer.from([0xfe, 0xff]), wide]))
    for (const [index, bytes] of [[0xfe], [0xff], [0x1f], [0xfe, 0xfe], [0, 0xff], [0, 0x8b]].entries())
      await writeFile(
        join(folder, `plain${index}.txt`),
        Buffer.concat([Buffer.from(bytes), Buffer.from(` ${secret}`)]),
      )
    await writeFile(join(folder, 'image.png'), Buffer.from([0x89, 0x50, 0, 255, 1, 2, 3]))
    const { files, leaks, unread } = await scanFolder(folder, new SecretFinder())
    expect([files, unread]).toEqual([11, []])
    const found = leaks.map(({ file, line }) => `${file.split('/').at(-1)}:${line}`)
    expect(new Set(found)).toEqual(
      new Set([
        'notes.txt:2',
        'packed.har.gz:1',
        'utf16.txt:1',
        'utf16be.txt:1',
        ...[0, 1, 2, 3, 4, 5].map((index) => `plain${index}.txt:1`),
      ]),
    )
  })

  it('reports unmasked secret headers in requests and replies, regardless of their value', () => {
    const recording = recordingWith('none', 0)
    const request = recording.request && { ...recording.request, headers: { cookie: 'tasty' } }
    const reply = recording.reply && { ...recording.reply, headers: { 'set-cookie': 'tasty' } }
    const leaks = scanRecording({ ...recording, request, reply }, new SecretFinder())
    expect(leaks).toEqual(
      expect.arrayContaining([
        { line: 2, kind: 'header cookie' },
        { line: 3, kind: 'header set-cookie' },
      ]),
    )
  })

  it('finds nothing in clean recordings', async () => {
    const folder = join(root, `scan-${++folders}`)
    await mkdir(folder)
    const all = cases(16, 200)
    for (let seed = 1; seed <= all / 8; seed++)
      for (const [name, recording] of await recordingsOfMock(randomAsks(seed), seed))
        await writeFile(join(folder, `${seed}-${name}`), formatRecording(recording))
    const { files, leaks } = await scanFolder(folder, new SecretFinder())
    expect(leaks).toEqual([])
    expect(files).toBe(all)
  }, 60_000)
})
