import { readFileSync } from 'node:fs'
import { describe } from 'vitest'
import { promptsText } from '../../src/gateway/prompts.ts'
import { operations } from '../../src/operations/index.ts'
import { expect, test } from '../../src/vitest.ts'
import { open } from '../call.ts'

const tools = [
  {
    type: 'function',
    name: 'search',
    description: 'Finds tides',
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
  },
  { type: 'function', name: 'book', parameters: {} },
]

async function ask({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }, body: object) {
  const response = await open({ baseUrl, apiKey }, 'POST /responses', {
    body: { model: 'aurora/dawn-2', tools, ...body },
  })
  return response.json()
}

const agent = { instructions: 'You are brief.\nToday is 2026-01-01.', input: 'Book a boat' }
const mask = [/\d{4}-\d\d-\d\d/]

describe('toMatchPrompts', () => {
  test('prints instructions, tools and messages', async ({ sandbox }) => {
    await ask(sandbox, agent)
    await ask(sandbox, {
      ...agent,
      input: [
        { role: 'developer', content: 'Be kind.' },
        { role: 'user', content: 'Book a boat' },
        { role: 'assistant', content: 'Which one?' },
        { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
        { type: 'function_call', call_id: 'call_1', name: 'book', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'done' },
      ],
    })
    await expect(sandbox).toMatchPrompts({ mask })
    const file = new URL(
      '__prompts__/prompts.test.ts/toMatchPrompts-prints-instructions-tools-and-messages.txt',
      import.meta.url,
    )
    expect(readFileSync(file, 'utf8')).toContain('  Today is ….')
  })

  test('prints the same text for any order of calls and any masked date', async ({ sandbox }) => {
    await Promise.all(
      Array.from({ length: 5 }, (_, call) => ask(sandbox, { ...agent, metadata: { call: String(call) } })),
    )
    for (let run = 0; run < 100; run++) {
      sandbox.journal.clear()
      const day = String(1 + (run % 28)).padStart(2, '0')
      const calls = [
        { instructions: `You are brief.\nToday is 2026-02-${day}.`, input: `Question on 2026-02-${day}` },
        { instructions: 'You are long.', input: 'Other', tools: run % 2 ? tools : [...tools].reverse() },
      ]
      for (const call of run % 3 ? calls : calls.toReversed()) await ask(sandbox, call)
      await expect(sandbox).toMatchPrompts({ mask, name: 'a hundred runs' })
    }
  })

  test('rejects other values, unknown options and `not`', async ({ sandbox }) => {
    await expect(expect('gateway').toMatchPrompts()).rejects.toThrow(
      "expect(): this matcher requires a gateway or a sandbox, got 'gateway'",
    )
    await expect(expect(sandbox).toMatchPrompts({ masks: mask } as object)).rejects.toThrow(
      "toMatchPrompts: unknown option 'masks'; did you mean 'mask'?",
    )
    await expect(expect(sandbox).not.toMatchPrompts()).rejects.toThrow(
      'toMatchFileSnapshot cannot be used with "not"',
    )
  })

  test('changes one line when one word changes', async ({ sandbox }) => {
    const textOf = () => promptsText(sandbox.journal.entries(), operations).split('\n')
    await ask(sandbox, { instructions: 'You are brief.\nBe kind.', input: 'Hello' })
    const before = textOf()
    for (const [instructions, input, line] of [
      ['You are brief.\nBe rude.', 'Hello', '  Be rude.'],
      ['You are brief.\nBe kind.', 'Bye', '    Bye'],
    ]) {
      sandbox.journal.clear()
      await ask(sandbox, { instructions, input })
      const after = textOf()
      expect(after).toHaveLength(before.length)
      expect(after.filter((each, index) => each !== before[index])).toEqual([line])
    }
  })
})
