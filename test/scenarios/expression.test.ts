/**
 * Regular expressions of rules: linear in the text, and refused where they cannot be.
 */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'

function ask(gateway: ReturnType<typeof createGateway>, input: string) {
  return gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input }),
  })
}

describe('a regular expression of a rule', () => {
  it.each(['[\\b]', '(?:a{900}){900}', '(?<é>a)'])(
    'is never found where RE2 does not know it: %s',
    async (matches) => {
      const gateway = createGateway()
      gateway.use({ on: 'createResponse', when: { input: { matches } }, fault: 'status' })
      expect((await ask(gateway, `a\b${'a'.repeat(9)}`)).status).toBe(200)
    },
  )

  it.each(['(a+)+$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(.*)*x', '(a|aa)+$'])(
    'does not hang the server by backtracking: %s on 100,000 characters',
    async (matches) => {
      const gateway = createGateway()
      gateway.use({ on: 'createResponse', when: { input: { matches } }, fault: 'status' })
      expect((await ask(gateway, `${'a'.repeat(100_000)}!`)).status).toBe(200)
      expect(gateway.journal.explain(gateway.journal.last('createResponse') as never)).toContain(
        'wants input',
      )
    },
  )

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
  ])('means what it means in JavaScript: /%s/%s on %j', async (matches, flags, text, found) => {
    const gateway = createGateway()
    gateway.use({
      on: 'createResponse',
      when: { input: { matches, ...(flags && { flags }) } },
      fault: 'status',
    })
    expect(new RegExp(matches, flags?.replace(/[gy]/g, '')).test(text)).toBe(found)
    expect((await ask(gateway, text)).status === 500).toBe(found)
  })

  it.each([
    ['a(?=b)', '(? at character 2 looks around'],
    ['(?<!a)b', '(? at character 1 looks around'],
    ['(a)b\\1', '\\1 at character 5 refers to a group'],
    ['(?<x>a)\\k<x>', '\\k at character 8 refers to a group'],
    ['a{2000}', 'the count at character 2 is above 1000'],
    ['(', 'Unterminated group'],
  ])('is refused when the rule is put in force, with the place: /%s/', (matches, problem) => {
    const rule = { on: 'createResponse', when: { body: { input: { matches } } }, fault: 'status' } as const
    expect(() => createGateway().use(rule)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(problem),
        problems: [expect.objectContaining({ path: ['rules', 0, 'when', 'body', 'input', 'matches'] })],
      }),
    )
  })
})
