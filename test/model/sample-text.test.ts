import { describe, expect, it } from 'vitest'
import texts from '../../fixtures/texts.json' with { type: 'json' }
import { createGateway } from '../../src/index.ts'
import { call } from '../call.ts'

const gateway = createGateway()

interface SampleReply {
  text: string
  usage: { output_tokens: number; output_tokens_details: { reasoning_tokens: number } }
  warnings: readonly string[]
}

async function ask(input: unknown, body: object = {}): Promise<SampleReply> {
  const response = await call(gateway, 'POST /responses', {
    body: { model: 'aurora/dawn-2', input, ...body },
  })
  const { output, usage } = response.body
  const warnings = gateway.journal.last('createResponse')?.warnings ?? []
  return { text: output.at(-1)?.content?.[0]?.text ?? '', usage, warnings }
}

const textOf = async (input: unknown, body?: object) => (await ask(input, body)).text
const itemsOf = (text: string) => text.split('\n').filter((line) => /^(-|\d+\.) /.test(line))

/** Several models, which lead to different passages for the same question. */
const models = [
  'aurora/dawn-2',
  'borealis/polar-4',
  'kestrel/hover-2',
  'driftwood/tide-1',
  'emberline/kiln-5',
  'a/b',
  'c/d',
  'e/f',
]

const questions = [
  'Hello',
  'How do tides work?',
  'Why is the sky blue?',
  'Plan three museums in Oslo',
  'How do I bake sourdough bread at home?',
  'Compare Postgres and MySQL for analytics',
  'What are the pros and cons of remote work?',
  'Is Oslo expensive in winter?',
  'Explain entropy in one sentence',
  'Write a haiku about autumn leaves',
  'Wie backt man Brot?',
  'x = 1',
]

describe('sample text', () => {
  it('is a one-line greeting in reply to a greeting', async () => {
    for (const greeting of ['Hello', 'Good morning!', 'hi']) {
      const text = await textOf(greeting)
      expect(text.toLowerCase().startsWith(`${greeting.toLowerCase().replace('!', '')}!`)).toBe(true)
      expect(text).not.toContain('\n')
    }
  })

  it('is not a greeting if the greeting is followed by a question', async () => {
    expect(await textOf('Hello, how do tides work?')).toContain('"Hello, how do tides work?"')
  })

  it.each(['Explain entropy in one sentence', 'What is entropy? In short, please', 'TL;DR of entropy'])(
    'is one short line for %j',
    async (question) => {
      expect(await textOf(question)).not.toContain('\n')
      expect((await textOf(question)).length).toBeLessThan((await textOf('What is entropy?')).length)
    },
  )

  it.each([
    ['Explain tides in 2 sentences', 2],
    ['Explain tides in three short sentences', 3],
    ['Use ten sentences to explain tides', 10],
  ])('has as many sentences as %j requests', async (question, count) => {
    const text = await textOf(question)
    expect(text.replace(question, '').split(/[.!?](?: |$)/)).toHaveLength(count + 1)
    expect(text).not.toContain('\n')
  })

  it.each(['low', 'medium', 'high'])(
    'has the requested number of paragraphs, and one more with high verbosity: %s',
    async (verbosity) => {
      const text = await textOf('Explain tides in four paragraphs', { text: { verbosity } })
      expect(text.replaceAll(/## .*\n\n/g, '').split('\n\n')).toHaveLength(verbosity === 'high' ? 5 : 4)
    },
  )

  it.each([
    ['Plan three museums in Oslo', 3],
    ['Name two rivers of France', 2],
    ['Give me four tips for better sleep', 4],
    ['How do I bake bread in six steps?', 6],
  ])('is a list with as many items as %j requests', async (question, count) => {
    const text = await textOf(question)
    expect(itemsOf(text)).toHaveLength(count)
    expect(new Set(itemsOf(text)).size).toBe(count)
  })

  it.each(['How do I bake bread?', 'How to set up a tent', 'Steps to learn chess'])(
    'is a list of numbered steps for %j',
    async (question) => {
      const items = itemsOf(await textOf(question))
      expect(items.length).toBeGreaterThanOrEqual(4)
      expect(items.map((item) => Number.parseInt(item, 10))).toEqual(items.map((_, place) => place + 1))
    },
  )

  it.each([
    ['Compare Postgres and MySQL for analytics', 'Postgres', 'MySQL'],
    ['Which is better, night trains or planes?', 'night trains', 'planes'],
    ['What is the difference between the sea and the ocean?', 'sea', 'ocean'],
  ])('compares both sides of %j in a list or a table', async (question, first, second) => {
    const texts = await Promise.all(models.map((model) => textOf(question, { model })))
    const lists = texts.filter(
      (text) => text.includes(`\n- **${first}:** `) && text.includes(`\n- **${second}:** `),
    )
    const tables = texts.filter((text) => text.includes(`\n| | ${first} | ${second} |\n`))
    expect(lists.length).toBeGreaterThan(0)
    expect(tables.length).toBeGreaterThan(0)
    expect(lists.length + tables.length).toBe(texts.length)
  })

  it('answers yes, no or "it depends" to a yes/no question', async () => {
    for (const model of models)
      expect(await textOf('Is Oslo expensive in winter?', { model })).toMatch(
        /^The [a-z ]*answer to "Is Oslo expensive in winter\?" (?:is (?:usually )?yes|depends|is "not always")/,
      )
  })

  it.each<[question: string, form: RegExp]>([
    ['Show the phases of a project as a table', /\n\| .* \|\n\| ---/],
    ['Write a function that counts words', /\n```[a-z]+\n/],
    ['Write a function that counts words in Python', /\n```python\n/],
    ['Write a JavaScript class', /\n```javascript\n/],
    ['implement quicksort in rust', /\n```rust\n/],
    ['Describe a user as JSON', /\n```json\n\{/],
    ['Write a poem about foxes', /\n> .*\n> .*\n> /],
    ['Write a haiku about autumn leaves', /\n> .*\n> .*\n> .*\.\n/],
    ['Write an e-mail to my landlord', /\n\[your name\]/],
    ['Draft a blog post about habits', /^Here is a draft for .*:\n\n[A-Z].*\?\n/],
    ['What are the pros and cons of remote work?', /\n\n\*\*.*\*\*\n\n- (?:.*\n)+\n\*\*.*\*\*\n\n- /],
  ])('has the form that %j asks for', async (question, form) => {
    for (const model of models) expect(await textOf(question, { model })).toMatch(form)
  })

  it('has one or two paragraphs if the question asks for no form, and both occur', async () => {
    const texts = await Promise.all(
      ['tides', 'clouds', 'glaciers', 'magnets', 'clocks', 'bees'].map((each) =>
        textOf(`Why do ${each} move?`),
      ),
    )
    expect(new Set(texts.map((text) => text.split('\n\n').length))).toEqual(new Set([1, 2]))
  })

  it('follows text.verbosity: low is one line, high has headings', async () => {
    const [low, medium, high] = await Promise.all(
      ['low', 'medium', 'high'].map((verbosity) => textOf('How do tides work?', { text: { verbosity } })),
    )
    expect(low).not.toContain('\n')
    expect(medium).toBe(await textOf('How do tides work?'))
    expect(high?.match(/^## /gm)?.length).toBe(3)
    expect((low ?? '').length).toBeLessThan((medium ?? '').length)
    expect((high ?? '').length).toBeGreaterThan((medium ?? '').length)
  })

  it('has more list items with higher verbosity', async () => {
    const counts = await Promise.all(
      ['low', 'medium', 'high'].map(async (verbosity) => {
        return itemsOf(await textOf('Suggest museums', { text: { verbosity } })).length
      }),
    )
    expect(counts).toEqual([3, 5, 8])
  })

  it('treats an unknown verbosity as medium and adds a warning', async () => {
    const { text, warnings } = await ask('How do tides work?', { text: { verbosity: 'chatty' } })
    expect(text).toBe(await textOf('How do tides work?'))
    expect(warnings).toContainEqual(expect.stringContaining("'chatty'"))
  })

  it('quotes the beginning of the question, so that a test can identify the request', async () => {
    for (const question of questions) expect(await textOf(question)).toContain(question)
    const long = `${'Why is it that '.repeat(8)}this takes so long?`
    expect(await textOf(long)).toContain(long.slice(0, 60))
  })

  it('depends only on seed, model and input', async () => {
    for (const question of questions) {
      const text = await textOf(question)
      expect(await textOf(question, { temperature: 1, metadata: { run: '2' }, user: 'b' })).toBe(text)
      expect(text.startsWith(await textOf(question, { max_output_tokens: 9 }))).toBe(true)
    }
    const texts = await Promise.all(models.map((model) => textOf('Why do tides move?', { model })))
    expect(new Set(texts).size).toBe(models.length)
  })

  it('fills every placeholder and capitalises sentences, even for unusual questions', async () => {
    const odd = [
      '',
      '?',
      '...',
      'constructor',
      '{question}',
      '{first}',
      'a',
      '$&',
      'how to',
      'compare',
      'compare __proto__ and constructor',
      '# Title',
      '"',
      'what is the',
      '日本語は？',
      'كيف تعمل المد والجزر؟',
      '\u202eabc',
      '| a | b |',
      '12',
    ]
    for (const question of [...questions, ...odd])
      for (const verbosity of ['low', 'medium', 'high']) {
        const text = (await textOf(question, { text: { verbosity } })).replaceAll(
          question === '' ? '\0' : question,
          'Q',
        )
        expect(text).not.toMatch(/\{[a-z]+\}|undefined|NaN| {2}|\s\.|\(\)/)
        expect(text).not.toMatch(/(?<!\.\.)[.!?] [a-z]/)
        expect(text).not.toBe('')
      }
  })

  it("derives its form from the question's first 400 characters", async () => {
    const countItems = async (filling: number) =>
      itemsOf(await textOf(`Suggest ${'x'.repeat(filling)} tldr`)).length
    expect([await countItems(387), await countItems(388)]).toEqual([3, 5])
  })

  it("reports a function's output, or is general if the output is empty", async () => {
    const report = (output: string) =>
      textOf([
        { role: 'user', content: 'How is the weather?' },
        { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output },
      ])
    expect(await report('{"city":"Oslo","days":[1,2]}')).toMatch(
      /:\n\n- \*\*city:\*\* Oslo\n- \*\*days:\*\* \[1,2\]$/,
    )
    expect(await report('Sunny, 7 degrees.')).toContain('"Sunny, 7 degrees."')
    expect(await report(' ')).toMatch(/general/)
  })

  it('is short and well-formed for malicious and very long questions', async () => {
    for (const unit of ['2 a ', 'compare a and ', 'write a ', 'a-', '\ud800', '🦊', '{', '"', '\n']) {
      const text = await textOf(unit.repeat(200_000 / unit.length))
      expect(text.length).toBeLessThan(4000)
      expect(text.isWellFormed()).toBe(true)
    }
  }, 20_000)
})

describe('sample text in other languages', () => {
  /** Questions by language, each with a pattern that the reply must match. */
  const questions: Record<string, Record<string, RegExp>> = {
    ja: {
      日本語で詩を書いてください: /^> 朝の窓/m,
      カレーの作り方を教えて: /^1\. \*\*目標/m,
      JavaScriptで配列をソートする関数を書いて: /例です。\n\n```javascript/,
      'なぜ空は青いのですか？': /「なぜ空は青いのですか？」/,
    },
    ar: {
      'اكتب قصيدة عن البحر': /^> على/m,
      'كيف أتعلم الطبخ؟': /^1\. /m,
      'ما هو الذكاء الاصطناعي؟': /«ما هو/,
    },
    en: {
      'Translate "おはようございます" to English': /^[\x20-\x7e\n]*"Translate "/,
      'Write a Java function that checks brackets': /```java\n/,
      no: /"no"/,
      'Los Angeles': /"Los Angeles"/,
      'Die Hard': /"Die Hard"/,
      'https://ja.wikipedia.example/日本語の文法と文字の歴史と日本語の方言': /^[^「」]+"https/,
    },
  }

  it.each(Object.entries(questions))(
    'answers in the language and form of the question: %s',
    async (_, each) => {
      for (const [question, form] of Object.entries(each)) expect(await textOf(question)).toMatch(form)
    },
  )

  it.each(Object.entries(texts))(
    'has openings that quote the question, three paragraphs, and only known placeholders: %s',
    (name, each) => {
      const { kinds, paragraphs } = each as unknown as {
        paragraphs: object
        kinds: Record<string, { asked?: string; openings: string[]; passages?: string[][] }>
      }
      expect(Object.keys(paragraphs).length).toBeGreaterThanOrEqual(3)
      for (const [kind, { asked = '', openings, passages = [] }] of Object.entries(kinds))
        for (const text of [...openings, ...passages.flat()]) {
          if (openings.includes(text) && !/empty|thanks|greeting/.test(kind))
            expect(text, name).toContain('{question}')
          for (const [, slot] of text.matchAll(/\{(\w+)\}/g))
            expect(slot === 'question' || asked.includes(`(?<${slot}>`), text).toBe(true)
        }
    },
  )
})

describe('reasoning tokens', () => {
  const tokens = async (reasoning: object | null) => {
    const { usage } = await ask('How do tides work?', { reasoning })
    return usage.output_tokens_details.reasoning_tokens
  }

  it('grow with the effort, stay within max_tokens, and count as output', async () => {
    const [low, medium, high] = await Promise.all(
      ['low', 'medium', 'high'].map((effort) => tokens({ effort })),
    )
    expect([low, medium, high]).toEqual([low, medium, high].toSorted((a = 0, b = 0) => a - b))
    expect(new Set([low, medium, high]).size).toBe(3)
    expect(await tokens({ max_tokens: 10 })).toBe(10)
    const without = (await ask('How do tides work?')).usage.output_tokens
    expect((await ask('How do tides work?', { reasoning: { effort: 'low' } })).usage.output_tokens).toBe(
      without + (low ?? 0),
    )
  })

  it('are consumed before text tokens if max_output_tokens limits the reply', async () => {
    const { text, usage } = await ask('How do tides work?', {
      reasoning: { max_tokens: 6 },
      max_output_tokens: 9,
    })
    expect(usage).toMatchObject({ output_tokens: 9, output_tokens_details: { reasoning_tokens: 6 } })
    expect((await textOf('How do tides work?')).startsWith(text)).toBe(true)
    expect(text.split(' ')).toHaveLength(3)
  })
})
