import { describe, expect, it } from 'vitest'
import { type PromptOptions, promptsFile, promptsText } from '../../src/gateway/prompts.ts'
import { createGateway } from '../../src/index.ts'
import { call } from '../call.ts'

/** Sends bodies to `POST /messages` or `POST /responses`, and returns the text of their prompts. */
async function textOf(sent: readonly [path: string, body: object][], options?: PromptOptions) {
  const gateway = createGateway({ timeScale: 0, extensions: ['messages'] })
  for (const [path, body] of sent) await call(gateway, `POST ${path}`, { body })
  return promptsText(gateway.journal.entries(), gateway.operations, options)
}

const model = 'aurora/dawn-2'
const hello = { model, input: 'Hello' }

describe('promptsText()', () => {
  it('lists instructions, tools and every kind of item', async () => {
    const response = {
      model,
      instructions: 'Be brief.',
      tools: [
        { type: 'web_search' },
        {
          type: 'function',
          name: 'book',
          description: 'Books\na boat',
          parameters: { b: [{ d: 1, c: 2 }], a: 1 },
        },
        { type: 'function', name: 'cancel', parameters: null },
      ],
      input: [
        { role: 'system', content: 'One\n\nTwo' },
        { role: 'user', content: 'Book' },
        { type: 'item_reference', id: 'msg_1' },
        { type: 'drawing', id: 'drawing_1' },
        { type: 'function_call', call_id: 'c', name: 'book', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'done' },
      ],
    }
    const message = {
      model,
      max_tokens: 10,
      system: 'Be kind.',
      tools: [{ name: 'search', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: 'Hello' }],
    }
    expect(
      await textOf([
        ['/responses', response],
        ['/messages', message],
      ]),
    ).toMatchInlineSnapshot(`
      "# createMessage aurora/dawn-2

      instructions:
        Be kind.

      tools:
        search {"type":"object"}

      input:
        user

      # createResponse aurora/dawn-2

      instructions:
        Be brief.

      tools:
        book: Books a boat {"a":1,"b":[{"c":2,"d":1}]}
        cancel
        web_search

      input:
        system:
          One

          Two
        user
        earlier conversation
        drawing
        call book
        result
      "
    `)
  })

  it('counts equal prompts, and omits calls without a prompt', async () => {
    const other = { model, input: [{ role: 'assistant', content: 'Hello' }] }
    const sent: [string, object][] = [
      ['/responses', hello],
      ['/responses', other],
      ['/responses', hello],
      ['/nowhere', hello],
    ]
    const text = [
      '# createResponse aurora/dawn-2',
      '',
      'input:',
      '  assistant',
      '',
      '# createResponse aurora/dawn-2, 2 times',
      '',
      'input:',
      '  user',
      '',
    ].join('\n')
    expect(await textOf(sent)).toBe(text)
    expect(await textOf(sent.toReversed())).toBe(text)
    expect(await textOf([...sent, ['/responses', hello]])).toBe(text.replace('2 times', '3 times'))
  })

  it.each<[string, string | RegExp]>([
    ['', ''],
    ['a.b a.b A.B', ''],
    ['… … A.B', 'a.b'],
    ['… … A.B', /a\.b/],
    ['… … A.B', /a\.b/g],
    ['… … …', /a\.b/i],
    ['… … …', /a\.b/gi],
  ])('shows %j with the mask %s', async (masked, mask) => {
    const instructions = masked && 'a.b a.b A.B'
    const lines = masked ? ['', 'instructions:', `  ${masked}`] : []
    expect(await textOf([['/responses', { ...hello, instructions }]], { mask: [mask] })).toBe(
      ['# createResponse aurora/dawn-2', ...lines, '', 'input:', '  user', ''].join('\n'),
    )
  })
})

describe('promptsFile()', () => {
  const file = (slug: string) => `/test/__prompts__/agent.test.ts/${slug}.txt`
  const testPath = '/test/agent.test.ts'

  it.each([
    ['prompts', undefined, undefined],
    ['books-two-boats', 'books > two boats!', undefined],
    ['own-name', 'books > two boats!', 'own name'],
    ['x'.repeat(100), 'x'.repeat(101), undefined],
  ])('returns the path of %s', (slug, currentTestName, name) => {
    expect(promptsFile({ testPath, currentTestName }, name)).toBe(file(slug))
  })
})
