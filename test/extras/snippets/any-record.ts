/**
 * Arbitrary call records, including ones that no transport or file could produce, and the
 * properties of snippets generated from them.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { toCurl, toTest } from '../../../src/extras/snippets/snippets.ts'
import { hideInQuery, hideInText, isSecretName } from '../../../src/http/secrets.ts'
import type { CallRecord } from '../../../src/journal/call-record.ts'
import { curlCalls, runTest } from './run-snippets.ts'

export const site = {
  baseUrl: 'https://gateway.example/api/v1',
  origin: 'https://gateway.example',
  apiKey: "a'key",
}
/**
 * Strings that terminate a literal, line or comment in some language or a terminal's bracketed paste, or that
 * disguise such a terminator.
 */
export const fragments = [
  ...'\'"`$\\;&|!#%*?~<>(){}[] \t\n\r\0\x03\x04\x15\x1b\x7f\x85',
  ...[
    '${',
    '$(',
    "$'",
    "'\\''",
    '\\x27',
    '`id`',
    '$(touch /tmp/x)',
    '$' + '{process.exit(9)}',
    '!!',
    '*/',
    '/*',
    '//',
  ],
  ...[
    '</script>',
    '<!--',
    '-->',
    '\x1b[201~',
    '\r\n',
    '\u2028',
    '\u2029',
    '\u202e',
    '\u2066',
    '\u200b',
    '\ufeff',
  ],
  ...[
    '\ud800',
    '\udfff',
    '\u{e0041}',
    '🌊',
    'é',
    '日',
    '%00',
    '%0a',
    '__proto__',
    'constructor',
    '- ',
    ': ',
    '|-',
  ],
  ...[
    '{{now}}',
    '@',
    '-o',
    '--',
    '..',
    '/../',
    'x',
    'rm -rf ~',
    'import',
    '\n---\n',
    'true',
    'null',
    '0x1F',
    '1e999',
  ],
]
export const text = (fragment = fc.constantFrom(...fragments)) =>
  fc.oneof(
    fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
export const without = (refused: RegExp) =>
  text(fc.constantFrom(...fragments.map((part) => part.replace(refused, '')))).map((each) =>
    each.replace(refused, ''),
  )

export const token = fc
  .array(fc.constantFrom(..."!#$%&'*+.^_`|~-", '`id`', 'GET', 'X', '__proto__'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
export const json = fc.jsonValue({ maxDepth: 2, stringUnit: fc.constantFrom(...fragments) as never })
export const body = fc.oneof(
  text(),
  fc.json({ maxDepth: 3 }),
  json.map((value) => JSON.stringify(value)),
  json.map((value) => JSON.stringify(value, null, 2)),
  fc.constantFrom('{"__proto__":{"a":1},"b":["</script>"]}', '{"b":["\\u2028</script>"]}'),
  text().map((each) => JSON.stringify({ data: { [each]: each }, error: { code: -7, message: each } })),
)
export const reply = fc.oneof(
  body,
  text().map((each) => `data: x\n\nevent: ${each}\ndata: y\n\n`),
)
export const path = without(/[\p{Cc} ]/gu)

/** Headers that a snippet repeats: all except `host`, `connection`, secret headers and those with an invalid name. */
const repeated = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).filter(
    ([name]) => /^(?!host$|connection$)[\w!#$%&'*+.^`|~-]+$/.test(name) && !isSecretName(name),
  )

interface Expected {
  isStream: boolean
  method: string
  url: (base: string, origin: string) => string
  headers: [string, string][]
  body: string
}

export function expectedOf(record: CallRecord): Expected {
  const { method, path: given, route, search, headers, requestBody, asksForStream } = record
  const target = given.startsWith('/') ? given : `/${given.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*\/?/i, '')}`
  return {
    isStream: asksForStream,
    method,
    url: (base, origin) => (route === undefined ? origin + target : base + route) + hideInQuery(search),
    headers: repeated(headers),
    body: hideInText(requestBody.text),
  }
}

/** Returns a call's curl arguments. */
export function argumentsFor({ isStream, method, url, headers, body: sent }: Expected): string[] {
  const { baseUrl, origin, apiKey } = site
  return [
    ...(/[[\]{}]/.test(url('', '')) ? ['-g'] : []),
    ...(isStream ? ['-N'] : []),
    ...(method === 'GET' ? [] : ['-X', method]),
    url(baseUrl, origin),
    ...[`authorization: Bearer ${apiKey}`, ...headers.map(headerArgument)].flatMap((each) => ['-H', each]),
    ...(sent === '' ? [] : ['--data-raw', sent]),
    // Lone surrogates are replaced, as in UTF-8.
  ].map((each) => each.toWellFormed())
}

/** curl sends a header without a value only if its argument ends with a semicolon. */
const headerArgument = ([name, value]: [string, string]) => (value === '' ? `${name};` : `${name}: ${value}`)

export const anyRecord = fc
  .record({
    method: fc.oneof(token, text(), fc.constantFrom('GET', 'POST')),
    path: fc.oneof(
      text(),
      path.map((each) => `/${each}`),
      fc.constantFrom('//evil.example/x', '/\\evil.example', '@evil.example/', 'http://evil.example/x', '*'),
    ),
    route: fc.option(
      text().map((each) => `/${each}`),
      { nil: undefined },
    ),
    search: fc.oneof(
      text().map((each) => `?${each}`),
      fc.constantFrom('', '?api_key=abc&a={b,c}[1-9]'),
    ),
    operation: fc.option(
      text().filter((each) => each !== ''),
      { nil: undefined },
    ),
    headers: fc.dictionary(fc.oneof(token, text(), fc.constant('__proto__')), text(), { maxKeys: 3 }),
    requestBody: body.map((each) => ({ text: each, cut: 0 })),
    replyBody: reply.map((each) => ({ text: each, cut: 0 })),
    replyHeaders: fc.record({ 'content-type': fc.oneof(text(), fc.constant('text/event-stream')) }),
    status: fc.constantFrom(0, 200, 404, 500),
    delivery: fc.constantFrom('pending', 'complete', 'aborted-by-fault', 'aborted-by-client'),
    asksForStream: fc.boolean(),
    match: fc.option(
      fc.record({
        scenario: text(),
        rule: fc.nat(),
        effect: fc.record({
          faults: fc.array(fc.record({ name: text(), message: text() }), { maxLength: 2 }),
          reply: fc.option(fc.record({ text: text(), body: json, headers: fc.dictionary(text(), text()) }), {
            nil: undefined,
          }),
        }),
      }),
      { nil: undefined },
    ),
  })
  .map((record) => record as unknown as CallRecord)

const sandbox = { baseUrl: 'https://gateway.example/sandboxes/s1/api/v1', apiKey: 'a`key' }

/** Throws unless each copied command is a single curl call with the intended arguments. */
export function tryCurl(records: readonly CallRecord[]): void {
  const expected: string[][] = []
  const commands: string[] = []
  for (const record of records) {
    const words = argumentsFor(expectedOf(record))
    if (words.some((word) => word.includes('\0'))) {
      assert.throws(() => toCurl(record, site), /NUL/)
      continue
    }
    expected.push(words)
    const command = toCurl(record, site)
    // When pasted, a control character acts on the terminal and could end the command.
    assert.doesNotMatch(command.replaceAll(' \\\n  ', '').trimEnd(), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    commands.push(command)
  }
  assert.deepEqual(curlCalls(commands), expected)
  // A shell without $'…' parses different words, but the same number of words.
  assert.deepEqual(
    curlCalls(commands, 'sh').map(({ length }) => length),
    expected.map(({ length }) => length),
  )
}

/** Throws unless the copied test makes a single request with the intended literals. */
export async function tryTest(record: CallRecord, runner: 'vitest' | 'playwright'): Promise<void> {
  const code = toTest(record, runner)
  assert.doesNotMatch(code, /<\/script|(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  const { url, init, rule, title, literals } = await runTest(code, sandbox)
  const expected = expectedOf(record)
  assert.equal(url, expected.url(sandbox.baseUrl, 'https://gateway.example'))
  assert.equal(init.method ?? 'GET', expected.method)
  assert.deepEqual(
    Object.entries(init.headers).sort(),
    [['authorization', `Bearer ${sandbox.apiKey}`], ...expected.headers].sort(),
  )
  assert.equal(init.body ?? '', expected.body)
  assert(title.includes(record.method))
  const { operation, match, route } = record
  if (operation !== undefined) assert(literals.includes(operation))
  if (!match) {
    assert.equal(rule, undefined)
    return
  }
  const { on } = rule as { on?: unknown }
  if (operation !== undefined || route === undefined) assert.equal(on, operation ?? '*')
  else assert.equal(typeof on, 'string')
  const { faults, reply: scripted } = match.effect
  assert(JSON.stringify(rule).includes(JSON.stringify(scripted ?? faults).slice(1, -1)))
}
