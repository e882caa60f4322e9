/**
 * What is imported, field by field: entries of a HAR file and of a journal, captures, the words of a shell.
 */
import { describe, expect, it } from 'vitest'
import { importCapture } from '../../src/contract/import-capture.ts'
import { importCurl } from '../../src/contract/import-curl.ts'
import { importHar } from '../../src/contract/import-har.ts'
import { importJournal } from '../../src/contract/import-journal.ts'
import { shellCommands } from '../../src/contract/shell-words.ts'
import { entryExchange, entryFixture } from '../../src/tapes/entry-export.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe('An entry of a HAR file', () => {
  const url = 'https://a.example/api/v1/things'
  const har = (...entries: unknown[]) => JSON.stringify({ log: { entries } })
  const entry = ({ request = {}, response = {}, ...more }: Record<string, object | string>) => ({
    request: { method: 'GET', url, ...(request as object) },
    response: { status: 200, content: { mimeType: 'text/plain', text: 'hello' }, ...(response as object) },
    ...more,
  })
  const read = (given: unknown, base = '/api/v1') => {
    const { exchanges, skipped } = importHar(har(given, entry({})), 'a', base)
    if (skipped.length > 0) return skipped[0]?.replace('a: entry 1: ', '')
    return exchanges.length === 1 ? 'left out' : exchanges[0]
  }

  it('has its times, without those that are not known', () => {
    const times = (timings?: object) => {
      const exchange = read(entry({ ...(timings && { timings }) }))
      if (typeof exchange !== 'object') throw new Error(exchange)
      return [exchange.reply?.ms, exchange.chunks[0]?.ms, exchange.end?.ms]
    }
    expect(times()).toEqual([0, 0, 0])
    expect(times({ send: 100, wait: 7, receive: 3 })).toEqual([7, 7, 10])
    expect(times({ wait: -1, receive: 3 })).toEqual([0, 0, 3])
    expect(times({ wait: 2, receive: -1 })).toEqual([2, 2, 2])
  })

  it('has the chunks that our journal says, where they are all of the body', () => {
    const chunks = (_chunks: unknown) => {
      const exchange = read(entry({ _chunks: _chunks as object, timings: { wait: 9 } }))
      return typeof exchange === 'object'
        ? exchange.chunks.map(({ ms, bytes }) => [ms, text(bytes)])
        : exchange
    }
    expect(
      chunks([
        [1, 2],
        [3, 0],
        [4, 3],
      ]),
    ).toEqual([
      [1, 'he'],
      [3, ''],
      [4, 'llo'],
    ])
    expect(
      chunks([
        [1, 2],
        [3, 2],
      ]),
    ).toEqual([[9, 'hello']])
    expect(chunks([])).toEqual([[9, 'hello']])
    expect(chunks([[-1, 5]])).toMatch(/^_chunks\.0\.0: /)
  })

  it('has its request, headers in lower case and on one line', () => {
    const exchange = read(
      entry({
        request: {
          method: 'post',
          url: `${url}?a=1&b=`,
          headers: [{ name: ':path', value: '/' }, { name: 'X-A', value: 'b\r\nc' }, { name: 'X-B' }],
          postData: { text: 'aGk=', encoding: 'base64' },
        },
      }),
    )
    expect(exchange).toMatchObject({
      request: {
        method: 'POST',
        path: '/things',
        query: '?a=1&b=',
        headers: { 'x-a': 'b c', 'x-b': '' },
        text: 'hi',
      },
    })
    const body = (postData: unknown) => {
      const { request } = read(entry({ request: { postData } })) as { request: object }
      return request
    }
    expect(body({ text: '{"a":1}' })).toMatchObject({ json: { a: 1 } })
    for (const none of [undefined, null, {}, { encoding: 'base64' }])
      expect(body(none)).toEqual({
        method: 'GET',
        path: '/things',
        query: '',
        headers: {},
      })
    expect(read(entry({ request: { url: `${url}?` } }))).toMatchObject({ request: { query: '' } })
    expect(read(entry({ request: { method: 'OPTIONS' } }))).toBe('left out')
  })

  it.each([
    ['/api/v1', '/things'],
    ['/api/v1/', '/things'],
    ['/api', '/v1/things'],
    ['https://a.example/api/v1', '/things'],
    ['https://a.example/api/v1/', '/things'],
    ['https://a.example', '/api/v1/things'],
  ])('is below %s', (base, path) => {
    expect(
      importHar(har(entry({ request: { url: `${url}?a=1` } })), 'a', base).exchanges[0]?.request?.path,
    ).toBe(path)
  })

  it.each(['/api/v1/thing', '/api/v2', 'https://b.example/api/v1', 'https://a.example/api/v1/things'])(
    'is not below %s',
    (base) => {
      expect(() => importHar(har(entry({})), 'a', base)).toThrow(
        `a: none of its 1 entries is below ${base}: give --base`,
      )
    },
  )

  it.each([
    ['complete', 'fin'],
    ['cut', 'reset'],
    ['client-left', 'client-left'],
    [undefined, 'fin'],
  ])('whose delivery was %s ended with %s', (delivery, how) => {
    expect(read(entry({ ...(delivery && { _delivery: delivery }) }))).toMatchObject({ end: { how } })
  })

  it('without an answer is one that was cut, or none', () => {
    const failed = { response: { status: 0 }, timings: { wait: 1, receive: 2 } }
    expect(read(entry(failed))).toBe('has no answer (status 0)')
    expect(read(entry({ ...failed, _delivery: 'client-left' }))).toBe('has no answer (status 0)')
    expect(read(entry({ ...failed, _delivery: 'cut' }))).toMatchObject({
      reply: undefined,
      chunks: [],
      end: { how: 'reset', ms: 3 },
    })
  })

  it('keeps a length of bytes that had no coding', () => {
    const headers = (...pairs: [string, string][]) => {
      const exchange = read(entry({ response: { headers: pairs.map(([name, value]) => ({ name, value })) } }))
      return typeof exchange === 'object' ? exchange.reply?.headers : exchange
    }
    expect(headers(['Content-Length', '5'], ['A', 'b'])).toEqual({ 'content-length': '5', a: 'b' })
    expect(headers(['content-length', '5'], ['content-encoding', 'br'], ['a', 'b'])).toEqual({ a: 'b' })
    expect(headers(['content-encoding', 'br'])).toEqual({})
  })

  const stream = (content: object, more: object = {}) =>
    entry({ response: { content: { mimeType: 'text/event-stream', ...content }, ...more } })
  const kept = (given: unknown) => {
    const exchange = read(given)
    return typeof exchange === 'object' ? exchange.chunks.map(({ bytes }) => text(bytes)) : exchange
  }
  const misread = 'its stream was decoded wrongly (UTF-8 read as Latin-1): save it with another tool'

  it.each([
    ['plain text', stream({ text: 'data: a' }), ['data: a']],
    ['no text at all', entry({ response: { content: { mimeType: 'text/plain' } } }), []],
    ['null for no text', entry({ response: { content: { text: null, size: 0 } } }), []],
    ['no content', entry({ response: { content: undefined } }), []],
    [
      'no text, and a size',
      entry({ response: { content: { size: 1 } } }),
      'its body was not kept: save the HAR with content',
    ],
    ['no text of a stream', stream({}), 'its body was not kept: save the HAR with content'],
    [
      'no text of a stream by its header',
      entry({ response: { content: {}, headers: [{ name: 'Content-Type', value: 'text/event-stream' }] } }),
      'its body was not kept: save the HAR with content',
    ],
    ['no text of a stream that was refused', stream({}, { status: 400 }), []],
    ['base64', stream({ text: 'aGk=', encoding: 'base64' }), ['hi']],
    ['a size that is right', stream({ text: 'ü', size: 2 }), ['ü']],
    ['a size that is not known', stream({ text: 'ü', size: 0 }), ['ü']],
    [
      'a size that is wrong',
      stream({ text: 'ü', size: 1 }),
      'its stream has 2 bytes, and 1 were sent: it was decoded wrongly or cut',
    ],
    [
      'a size that is wrong, of no stream',
      entry({ response: { content: { mimeType: 'text/plain', text: 'ü', size: 1 } } }),
      ['ü'],
    ],
    [
      'a replacement',
      stream({ text: '\ufffd' }),
      'its stream was decoded wrongly (U+FFFD in it): the bytes are lost',
    ],
    [
      'a replacement, in no stream',
      entry({ response: { content: { mimeType: 'text/plain', text: '\ufffd' } } }),
      ['\ufffd'],
    ],
    ['what was read as Latin-1', stream({ text: 'WÃ¶' }), misread],
    ['what was read as windows-1252', stream({ text: 'â‚¬' }), misread],
    ['what was read so, with all its characters', stream({ text: 'ðŸŒŠ' }), misread],
    ['what was read so, to its last character', stream({ text: 'Ã¿' }), ['Ã¿'].map(() => misread)[0]],
    ['a character of Latin-1', stream({ text: 'Wörter ÿ' }), ['Wörter ÿ']],
    ['a character of windows-1252', stream({ text: '5 €' }), ['5 €']],
    ['characters far beyond', stream({ text: 'Ã¶ 🌊' }), ['Ã¶ 🌊']],
    ['a comment', stream({ text: 'a', comment: 'nice' }), ['a']],
    [
      'a comment that it is not whole',
      stream({ text: 'a', comment: '2 bytes not kept' }),
      'its body was not kept whole (2 bytes not kept)',
    ],
    [
      'no reply',
      { request: { method: 'GET', url } },
      'response: Invalid input: expected object, received undefined',
    ],
    [
      'no method',
      entry({ request: { method: '' } }),
      'request.method: Too small: expected string to have >=1 characters',
    ],
  ] as [string, unknown, unknown][])('with %s is read so, or skipped with the reason', (_, given, told) => {
    expect(kept(given)).toEqual(told)
  })
})

describe('An entry of a journal', () => {
  const entry = {
    method: 'POST',
    path: '/s1/api/v1/things',
    query: { a: ['1', '2'], b: 'c d' },
    headers: { accept: 'x' },
    rawBody: { text: '{"a":1}', cut: 0 },
    status: 200,
    replyHeaders: { etag: 'e' },
    replyBody: { text: 'hello', cut: 0 },
    delivery: 'complete',
    durationMs: 9,
    firstByteMs: 4,
  } as const
  const read = (more: object) => {
    const { exchanges, skipped } = importJournal(JSON.stringify([{ ...entry, ...more }]), 'a')
    return skipped[0]?.replace('a: entry 1: ', '') ?? exchanges[0]
  }

  it('has all that a tape needs', () => {
    expect(read({})).toEqual({
      request: {
        method: 'POST',
        path: '/things',
        query: '?a=1&a=2&b=c+d',
        headers: { accept: 'x' },
        json: { a: 1 },
      },
      reply: { ms: 4, status: 200, headers: { etag: 'e' } },
      chunks: [{ ms: 4, bytes: utf8('hello') }],
      end: { how: 'fin', ms: 9 },
    })
    expect(read({ firstByteMs: null })).toMatchObject({ reply: { ms: 9 } })
    expect(read({ firstByteMs: null, durationMs: null })).toMatchObject({ reply: { ms: 0 }, end: { ms: 0 } })
    expect(read({ query: undefined, headers: undefined, replyHeaders: undefined })).toMatchObject({
      request: { query: '', headers: {} },
      reply: { headers: {} },
    })
    expect(read({ replyBody: { text: '', cut: 0 } })).toMatchObject({ chunks: [] })
    expect(read({ delivery: 'cut' })).toMatchObject({ end: { how: 'reset' } })
    expect(read({ delivery: 'client-left' })).toMatchObject({ end: { how: 'client-left' } })
    expect(read({ status: 0 })).toMatchObject({ reply: undefined })
  })

  it.each([
    [{ rawBody: { text: '', cut: 1 } }, 'One of its bodies was too long for the journal to keep'],
    [{ replyBody: { text: '', cut: 1 } }, 'One of its bodies was too long for the journal to keep'],
    [{ delivery: 'pending' }, 'It is still under way'],
    [{ delivery: 'lost' }, /^delivery: Invalid option/],
    [{ replyBody: {} }, 'replyBody.text: Invalid input: expected string, received undefined'],
  ])('with %j is skipped with the reason', (more, reason) => {
    expect(read(more)).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason))
  })

  it('stands in a list, in the reply of the control API, alone, or on a line', () => {
    const one = JSON.stringify(entry)
    const count = (given: string) => importJournal(given, 'a').exchanges.length
    expect(
      [`[${one},${one}]`, `{"data":[${one},${one}]}`, `{"data":${one}}`, one, `${one}\n\n${one}\n`].map(
        count,
      ),
    ).toEqual([2, 2, 1, 1, 2])
    expect(importJournal(`${one}\n{}`, 'a').skipped).toEqual([expect.stringMatching(/^a: entry 2: method: /)])
    expect(() => importJournal('{', 'a')).toThrow(/^a: is no journal: /)
    expect(() => importJournal(`${one}\nno`, 'a')).toThrow(/^a: is no journal: /)
  })

  it('is a fixture where it gives records', () => {
    const reply = (data: unknown) =>
      ({ ...entry, replyBody: { ...entry.replyBody, text: JSON.stringify({ data }) } }) as never
    expect(entryFixture(reply([{ a: 1 }]), 'listBenchmarks')).toEqual({ benchmarks: [{ a: 1 }] })
    expect(entryFixture(reply({ a: 1 }), 'updateWorkspace')).toEqual({ workspaces: [{ a: 1 }] })
    expect(entryFixture(reply([{ a: 1 }]), 'listEmbeddingsModels')).toEqual({ embeddingsModels: [{ a: 1 }] })
    expect(entryFixture(reply({ a: 1, designated_version: { b: 2 } }), 'getPreset')).toEqual({
      presets: [{ a: 1 }],
      presetVersions: [{ b: 2 }],
    })
    const none =
      'A fixture is made of a 200 of listProviders, updateWorkspace, listEmbeddingsModels, listBenchmarks, getPreset: export this one as a tape or as a rule'
    for (const operation of [null, 'createResponse'])
      expect(() => entryFixture(reply([]), operation)).toThrow(none)
    expect(() => entryFixture({ ...entry, status: 201 } as never, 'listProviders')).toThrow(none)
    expect(() =>
      entryFixture({ ...entry, replyBody: { text: '', cut: 1 } } as never, 'listProviders'),
    ).toThrow('The body of the reply was too long to keep')
    expect(entryExchange({ ...entry, path: '/elsewhere' } as never).request?.path).toBe('/elsewhere')
  })
})

describe('A capture', () => {
  const read = (given: string) => {
    const { reply, chunks } = importCapture(utf8(given), 'a', undefined)
    return [reply?.status, reply?.headers, chunks.map(({ bytes }) => text(bytes)).join('|')]
  }
  const stream = { 'content-type': 'text/event-stream; charset=utf-8' }
  const json = { 'content-type': 'application/json' }
  const plain = { 'content-type': 'text/plain; charset=utf-8' }

  it.each([
    ['data: 1', stream],
    ['event: a', stream],
    ['id: 1', stream],
    ['retry: 1', stream],
    [': a comment', stream],
    ['\ufeffdata: 1', stream],
    ['\n\ndata: 1', stream],
    ['some data: 1', plain],
    ['{"a":1}', json],
    [' [1]', json],
    ['{\ndata: 1}', json],
    ['hello', plain],
    [`${'x'.repeat(4091)}\ndata: 1`, plain],
    [`${'x'.repeat(4090)}\nid: 1`, stream],
  ])('%j without a head has the type of what it looks like', (given, headers) => {
    expect(read(given).slice(0, 2)).toEqual([200, headers])
    expect(importCapture(utf8(given), 'a', undefined).chunks).toEqual([{ ms: 0, bytes: utf8(given) }])
  })

  it('with a head has its status and headers, without those of the wire', () => {
    expect(
      read(
        'HTTP/1.1 201 Created\r\nA:  b: c \r\nD:e\r\ntransfer-encoding: chunked\r\ncontent-encoding: identity\r\n\r\nhi',
      ),
    ).toEqual([201, { a: 'b: c', d: 'e' }, 'hi'])
    expect(read('HTTP/2 204\n\n')).toEqual([204, {}, ''])
    expect(read('HTTP/1.1 302 Found\r\nlocation: /\r\n\r\nHTTP/1.1 200 OK\r\n\r\n')).toEqual([200, {}, ''])
  })

  it.each(['gzip', 'br', 'deflate', 'zstd'])('that is %s is refused', (coding) => {
    expect(() => read(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\n\r\nx`)).toThrow(
      'a: is compressed: capture it with --compressed, which unpacks it',
    )
  })

  it('that is empty is refused', () => {
    expect(() => read('')).toThrow('a: is empty')
  })
})

describe('The words of a shell', () => {
  it.each([
    ['a b  c', [['a', 'b', 'c']]],
    ['a;b\nc;;\n', [['a'], ['b'], ['c']]],
    ['a \\\n b', [['a', 'b']]],
    ['a\\\nb', [['ab']]],
    ['a\\\r\nb', [['ab']]],
    ['a\r\nb', [['a'], ['b']]],
    ["'a b'c \"\" ''", [['a bc', '', '']]],
    ['\'a\\\' "b\\\\\\"\\a\\$\\`"', [['a\\', 'b\\"\\a$`']]],
    ['"a\\\nb"', [['ab']]],
    ['"$ $" "$."', [['$ $', '$.']]],
    ['a\\ b \\; \\#', [['a b', ';', '#']]],
    ['a # b\nc #', [['a'], ['c']]],
    ['a#b', [['a#b']]],
    ['# a', []],
    ['$ a', [['$', 'a']]],
    ["$'a\\n\\t\\r\\a\\b\\e\\f\\v\\0\\q\\'\\\\'", [["a\n\t\r\x07\b\x1b\f\v\0q'\\"]]],
    ["$'\\x41\\x4\\u42\\u0043\\U1F30A\\101'b", [['A\x04BC🌊Ab']]],
    ['a\\', [['a']]],
    ['', []],
  ])('%j are %j', (given, commands) => {
    expect(shellCommands(given)).toEqual(commands)
  })

  const variable = 'it has a variable or a command in it: write the value instead'
  it.each([
    ["'a", "a ' is not closed"],
    ['"a', 'a " is not closed'],
    ['"a\\', 'a " is not closed'],
    ["$'a", "a $' is not closed"],
    ["$'a\\", "a $' is not closed"],
    ['$A', variable],
    [`$\{A}`, variable],
    ['`a`', variable],
    ['"$A"', variable],
    [`"$\{A}"`, variable],
    ['"$(a)"', variable],
    ['"`a`"', variable],
    ['a|b', "it has a '|' outside quotes: give the curl command alone"],
    ['a && b', "it has a '&' outside quotes: give the curl command alone"],
    ['a > b', "it has a '>' outside quotes: give the curl command alone"],
    ['a < b', "it has a '<' outside quotes: give the curl command alone"],
    ['(a)', "it has a '(' outside quotes: give the curl command alone"],
    ['a ^', 'it is written for cmd: copy it as cURL (bash)'],
  ])('%j are refused', (given, message) => {
    expect(() => shellCommands(given)).toThrow(message)
  })
})

describe('A curl command', () => {
  const url = 'https://a.example/api/v1/things'
  const read = (words: string, base = '/api/v1') => importCurl(`curl ${words}`, 'a', base)[0]
  const asked = (more: object = {}) => ({ method: 'GET', path: '/things', query: '', headers: {}, ...more })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }

  it.each([
    [url, {}],
    ['a.example/api/v1/things', {}],
    [`--url ${url}`, {}],
    [`${url} other`, {}],
    [`-s -S --compressed ${url}`, {}],
    [`-o out -m 5 -x proxy -w x -c jar -D head -E cert ${url}`, {}],
    [`--max-time 5 --connect-timeout 3 --retry 2 --output=x ${url}`, {}],
    [`-I ${url}`, { method: 'HEAD' }],
    [`--head ${url}`, { method: 'HEAD' }],
    [`-X put ${url}`, { method: 'PUT' }],
    [`-sXPUT ${url}`, { method: 'PUT' }],
    [`-H 'A:  b:c ' -H 'B:' -H 'C;' ${url}`, { headers: { a: 'b:c' } }],
    [
      `-A agent -b c=d -e from ${url}`,
      { headers: { 'user-agent': 'agent', cookie: 'c=d', referer: 'from' } },
    ],
    [`-H 'user-agent: x' -A agent ${url}`, { headers: { 'user-agent': 'x' } }],
    [`-u a:b ${url}`, { headers: { authorization: 'Basic YTpi' } }],
    [`--oauth2-bearer t ${url}`, { headers: { authorization: 'Bearer t' } }],
    [`-d a=1 -d b=2 ${url}`, { method: 'POST', headers: form, text: 'a=1&b=2' }],
    [`--data-binary a ${url}`, { method: 'POST', headers: form, text: 'a' }],
    [`--data-raw @a ${url}`, { method: 'POST', headers: form, text: '@a' }],
    [`-X GET -d a ${url}`, { headers: form, text: 'a' }],
    [
      `-d '{' -d '}' -H 'content-type: application/json' ${url}`,
      { method: 'POST', headers: { 'content-type': 'application/json' }, json: {} },
    ],
    [
      `--json '{}' ${url}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        json: {},
      },
    ],
    [`-G -d a=1 '${url}?b=2'`, { query: '?b=2&a=1' }],
    [`-G -d a=1 ${url}`, { query: '?a=1' }],
    [`--url-query a=1 -d b ${url}`, { method: 'POST', query: '?a=1', headers: form, text: 'b' }],
    [
      `--data-urlencode 'a=b c' --data-urlencode '=d e' --data-urlencode 'f g' ${url}`,
      { method: 'POST', headers: form, text: 'a=b%20c&d%20e&f%20g' },
    ],
  ] as [string, object][])('%s asks so', (words, more) => {
    expect(read(words)).toEqual(asked(more))
  })

  it('is found under any path of the program, behind a prompt, and below any base', () => {
    for (const program of ['curl', '/usr/bin/curl', '$ curl', 'curl.exe'])
      expect(importCurl(`${program} ${url}`, 'a', '/api/v1')).toEqual([asked()])
    expect(read(url, 'https://a.example/api/v1/')).toEqual(asked())
    expect(read(url, 'https://a.example')).toEqual(asked({ path: '/api/v1/things' }))
    expect(() => importCurl(`curly ${url}`, 'a', '/api/v1')).toThrow('a: has no curl command')
  })

  it.each([
    ['-s', 'a: a curl command has no address'],
    ['http://', "a: 'http://' is no address"],
    ['https://a.example/api/v2', 'a: https://a.example/api/v2 is not below /api/v1: give --base'],
    [`-F a=b ${url}`, 'a: --form cannot be imported: a body must be given as text'],
    [`-T a ${url}`, 'a: --upload-file cannot be imported: a body must be given as text'],
    [`-K a ${url}`, 'a: --config cannot be imported: a body must be given as text'],
    [`${url} -H`, 'a: --header has no value'],
    [`-d @a ${url}`, 'a: --data @a reads a file: write what it holds instead'],
  ])('%s is refused', (words, message) => {
    expect(() => read(words)).toThrow(message)
  })
})
