/**
 * Tests that regular expressions in rules match as in JavaScript, and are rejected if they could backtrack
 * for seconds.
 */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { open, type Target } from '../call.ts'

const ask = (gateway: Target, input: string) =>
  open(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', input } })

describe('regular expressions in rules', () => {
  it.each<[string, string | undefined, string, boolean]>([
    ['^TIDES', 'i', 'tides and waves', true],
    ['^TIDES', undefined, 'tides and waves', false],
    ['a.b', 's', 'a\nb', true],
    ['a.b', 'g', 'a\nb', false],
    ['^b$', 'm', 'a\nb\nc', true],
    ['^b$', 'gy', 'a\nb\nc', false],
    ['\\u0041\\x42\\/(?<name>\\d{2,3})\\b', undefined, 'see AB/123.', true],
    ['^\\p{Lu}\\w+$', 'u', 'Zoë', false],
    ['^\\p{Lu}', 'u', 'Émile', true],
    ['[(?=]{2}\\\\1', undefined, '(?\\1', true],
    ['\\p{Script=Greek}', 'u', 'the letter λ', true],
    ['((a{500}){3})', undefined, 'a'.repeat(1500), true],
    ['((a{500}){3})', undefined, 'a'.repeat(1499), false],
    ['\\é', undefined, 'é', true],
    ['a\\sb', undefined, 'a\u00a0b', true],
    ['[\\b]', undefined, 'a\bb', true],
    ['(?<é>a)', undefined, 'a', true],
    ['weather.*Berlin', undefined, 'the weather in Berlin', true],
    ['^(?!.*secret)(?=.*tides)', undefined, 'the tides', true],
    ['(?<!no )tides', undefined, 'no tides', false],
  ])('match as in JavaScript: /%s/%s', async (matches, flags, text, found) => {
    const gateway = createGateway()
    gateway.use({
      on: 'createResponse',
      when: { input: { matches, ...(flags && { flags }) } },
      fault: 'status',
    })
    expect(new RegExp(matches, flags?.replace(/[gy]/g, '')).test(text)).toBe(found)
    expect((await ask(gateway, text)).status === 500).toBe(found)
  })

  it('search long text to its end if they match in linear time, otherwise only its first characters', async () => {
    const long = `${'tides '.repeat(20_000)}waves 99`
    const gateway = createGateway({ limits: { journalBodyBytes: 1_000_000 } })
    gateway.use({ on: 'createResponse', when: { input: { matches: 'waves \\d' } }, fault: 'status' })
    expect((await ask(gateway, long)).status).toBe(500)
    gateway.resetScenarios()
    gateway.use({ on: 'createResponse', when: { input: { matches: 'waves.*9' } }, fault: 'status' })
    expect((await ask(gateway, long)).status).toBe(200)
    expect(gateway.journal.explain(gateway.journal.last('createResponse') as never)).toContain(
      'expected input text matching /waves.*9/ in its first 5000 characters',
    )
  })

  it("are checked at any depth in a script's expected results", () => {
    const gateway = createGateway()
    const script = [
      { call: { search: {} } },
      { text: 'Hi', expect: { result: { search: { a: [{ matches: '(a+)+' }] } } } },
    ]
    expect(() => gateway.use({ on: 'createResponse', script })).toThrow(
      'use(): script[1].expect.result.search.a[0].matches: the regular expression /(a+)+/ cannot be used: it may backtrack exponentially, because the repetition (a+)+ can match the same text in several ways',
    )
  })

  it.each([
    ['a*a*a*b', 'it may take 10^14 steps on 5000 characters'],
    ['(?i:a)', 'inline flags are not supported'],
    ['(a)b\\1', 'the backreference \\1 is not supported'],
    ['(?<x>a)\\k<x>', 'the backreference \\k<x> is not supported'],
    ['(', 'Unterminated group'],
  ])(
    'are rejected with a reason and a path, also if a match could take seconds: /%s/',
    (matches, problem) => {
      const rule = { on: 'createResponse', when: { body: { input: { matches } } }, fault: 'status' } as const
      expect(() => createGateway().use(rule)).toThrow(
        expect.objectContaining({
          message: expect.stringContaining(problem),
          problems: [expect.objectContaining({ path: ['when', 'body', 'input', 'matches'] })],
        }),
      )
    },
  )
})
