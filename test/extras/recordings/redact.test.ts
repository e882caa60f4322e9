/** Tests finding, replacing and listing secrets in bodies, without a connection. */
import { describe, expect, it } from 'vitest'
import type { Recording } from '../../../src/extras/recordings/recording.ts'
import { leaksIn } from '../../../src/extras/recordings/recording-files.ts'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { placeholderFor, SecretFinder } from '../../../src/extras/recordings/secrets.ts'
import { toLatin1 } from '../../../src/lib/bytes.ts'
import { formatRecording, recordingOf, requestOf, text, utf8 } from './samples.ts'

describe('secrets', () => {
  const knownKey = `sk-or-v1-${'a1B2'.repeat(10)}7`
  const value = 'hunter2+"Ü"/x'
  const finder = new SecretFinder({ values: [{ kind: 'mine', value }] })

  it('are found in base64 and base64url at any offset', () => {
    for (let before = 0; before < 6; before++) {
      const bytes = toLatin1(utf8(`${'>'.repeat(before)}${value}${'?'.repeat(before)}`))
      for (const encoded of [btoa(bytes), btoa(bytes).replaceAll('+', '-').replaceAll('/', '_')]) {
        const clean = finder.replace(encoded)
        expect(clean).toHaveLength(encoded.length)
        const decoded = atob(clean.replaceAll('-', '+').replaceAll('_', '/'))
        expect(decoded.slice(0, before)).toBe('>'.repeat(before))
        expect(decoded.slice(decoded.length - before)).toBe('?'.repeat(before))
        expect(decoded).not.toContain('hunter')
        expect(decoded).toContain('edacted.')
      }
      const key = `${'>'.repeat(before)}${knownKey}`
      const [finding, ...more] = finder.find(btoa(key))
      expect(more).toEqual([])
      expect(finding?.kind).toMatch(/ in base64$/)
      const clean = atob(finder.replace(btoa(key)))
      expect(clean.slice(0, before)).toBe('>'.repeat(before))
      expect(clean).toHaveLength(key.length)
      expect(clean.slice(before)).toBe(placeholderFor(knownKey))
    }
  })

  it('are replaced by a placeholder of the same length, the same one each time', () => {
    const kinds: string[] = []
    const clean = finder.replace(`a ${knownKey} b ${knownKey}`, (kind) => kinds.push(kind))
    expect(clean).toBe(`a ${placeholderFor(knownKey)} b ${placeholderFor(knownKey)}`)
    expect(kinds).toHaveLength(2)
    expect(finder.replace(clean)).toBe(clean)
    expect(placeholderFor('a')).toBe('r')
    expect(placeholderFor('abcdefghijklmnopq')).toMatch(/^redacted\.[0-9a-f]{4}\.xxx$/)
    expect(placeholderFor('abcdefghijklmn')).not.toBe(placeholderFor('abcdefghijklmo'))
  })

  it('are reported in a finished recording, even if they are split', () => {
    const [{ kind } = { kind: '' }] = finder.find(knownKey)
    const halves = [knownKey.slice(0, 20), knownKey.slice(20)]
    const leaks = (recording: Recording) => leaksIn(formatRecording(recording), recording, finder)
    expect(leaks(recordingOf(['a ', `${knownKey} ${knownKey}`]))).toEqual([kind])
    expect(leaks(recordingOf(['a ', ...halves]))).toEqual([kind])
    expect(leaks(recordingOf([], { request: requestOf({ a: knownKey }) }))).toEqual([kind])
    // Path and query each contain half of the secret.
    const address = { path: `/${halves[0]}`, query: halves[1] }
    expect(leaks(recordingOf([], { request: requestOf({}, address) }))).toEqual([kind])
    const headers = { cookie: 'a', accept: 'b', authorization: placeholderFor('Bearer and more') }
    const reply = { ms: 1, status: 200, headers: { 'set-cookie': 'a', etag: 'b' } }
    expect(leaks(recordingOf([], { reply, request: requestOf({}, { headers }) }))).toEqual(
      expect.arrayContaining(['header cookie', 'header set-cookie']),
    )
    const events = halves.map((delta) => `data: ${JSON.stringify({ type: 'd', delta })}\n\n`)
    expect(leaks(recordingOf(events))).toEqual([kind])
    const clean = new Redactor().chunks(
      events.map((event) => ({ ms: 1, bytes: utf8(event) })),
      () => undefined,
    )
    const placeholder = placeholderFor(knownKey)
    expect(clean.map(({ bytes }) => JSON.parse(text(bytes).slice(6)).delta)).toEqual([
      placeholder.slice(0, 20),
      placeholder.slice(20),
    ])
  })

  it('are replaced in a body, even across chunks and line breaks', () => {
    const lines = '-----one\n\ntwo-----'
    const redactor = new Redactor({ values: [{ kind: 'mine', value: lines }] })
    const pieces = ['a', `b${lines.slice(0, 10)}`, lines.slice(10), knownKey.slice(0, 9), knownKey.slice(9)]
    const chunks = pieces.map((piece, ms) => ({ ms, bytes: utf8(piece) }))
    const kinds: string[] = []
    const clean = redactor.chunks(chunks, (kind) => kinds.push(kind))
    expect(clean.map(({ ms, bytes }) => [ms, text(bytes)])).toEqual([
      [0, 'a'],
      [1, `b${placeholderFor(lines).slice(0, 10)}`],
      [2, placeholderFor(lines).slice(10)],
      [3, placeholderFor(knownKey).slice(0, 9)],
      [4, placeholderFor(knownKey).slice(9)],
    ])
    expect(kinds).toEqual(['mine', 'API key sk-'])
  })

  it('include the values of all headers that are not on the allow-list', () => {
    const redactor = new Redactor({ headers: ['X-Own', 'x-mine-*'] })
    const kept = ['accept', 'accept-language', 'x-own', 'x-mine-a', 'ratelimit', 'x-ratelimit-limit']
    const names = [...kept, 'x-mine', 'x-request-id']
    const kinds: string[] = []
    const given = Object.fromEntries(names.map((name) => [name.toUpperCase(), 'a value']))
    const headers = redactor.headers(given, (kind) => kinds.push(kind))
    expect(names.filter((name) => headers[name] === 'a value')).toEqual(kept)
    expect(kinds).toEqual(['header x-mine', 'header x-request-id'])
    expect(redactor.headers({ a: 'redacted.0a9f.x', accept: `to ${knownKey}` })).toEqual({
      a: 'redacted.0a9f.x',
      accept: `to ${placeholderFor(knownKey)}`,
    })
  })
})
