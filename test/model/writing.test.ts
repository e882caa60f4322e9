import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'

const gateway = createGateway()

interface Asked {
  text: string
  usage: { output_tokens: number; output_tokens_details: { reasoning_tokens: number } }
  warnings: readonly string[]
}

async function ask(input: string, body: object = {}): Promise<Asked> {
  const response = await gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input, ...body }),
  })
  const { output, usage } = (await response.json()) as {
    output: { content?: { text: string }[] }[]
    usage: Asked['usage']
  }
  const warnings = gateway.journal.last('createResponse')?.warnings ?? []
  return { text: output.at(-1)?.content?.[0]?.text ?? '', usage, warnings }
}

const textOf = async (input: string, body?: object) => (await ask(input, body)).text
const itemsOf = (text: string) => text.split('\n').filter((line) => /^(-|\d+\.) /.test(line))

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

describe('texts that were all of one length and one form', () => {
  it('are one line for a greeting, which they give back', async () => {
    for (const greeting of ['Hello', 'Good morning!', 'hi']) {
      const text = await textOf(greeting)
      expect(text.toLowerCase().startsWith(`${greeting.toLowerCase().replace('!', '')}!`)).toBe(true)
      expect(text).not.toContain('\n')
    }
  })

  it.each(['Explain entropy in one sentence', 'What is entropy? In short, please', 'TL;DR of entropy'])(
    'are one line where %j asks for one',
    async (question) => {
      expect(await textOf(question)).not.toContain('\n')
      expect((await textOf(question)).length).toBeLessThan((await textOf('What is entropy?')).length)
    },
  )

  it.each([
    ['Plan three museums in Oslo', 3],
    ['Give me 7 ideas for a birthday party', 7],
    ['Name two rivers of France', 2],
  ])('are a list of as many items as %j asks for', async (question, count) => {
    const text = await textOf(question)
    expect(itemsOf(text)).toHaveLength(count)
    expect(new Set(itemsOf(text)).size).toBe(count)
  })

  it.each(['How do I bake bread?', 'How to set up a tent', 'Steps to learn chess'])(
    'are numbered steps for %j',
    async (question) => {
      const items = itemsOf(await textOf(question))
      expect(items.length).toBeGreaterThanOrEqual(4)
      expect(items.map((item) => Number.parseInt(item, 10))).toEqual(items.map((_, place) => place + 1))
    },
  )

  it('set what is to be compared against each other', async () => {
    const items = itemsOf(await textOf('Compare Postgres and MySQL for analytics'))
    expect(items[0]).toMatch(/^- \*\*Postgres:\*\* /)
    expect(items[1]).toMatch(/^- \*\*MySQL:\*\* /)
  })

  it('say yes or no, or that it depends, where that is the question', async () => {
    expect(await textOf('Is Oslo expensive in winter?')).toMatch(
      /^Is Oslo expensive in winter\? .*(yes|Not always)/i,
    )
  })

  it('are one or two paragraphs for other questions, both of which occur', async () => {
    const texts = await Promise.all(
      ['tides', 'clouds', 'glaciers', 'magnets', 'clocks', 'bees'].map((each) =>
        textOf(`Why do ${each} move?`),
      ),
    )
    expect(new Set(texts.map((text) => text.split('\n\n').length))).toEqual(new Set([1, 2]))
  })

  it('follow text.verbosity: low is a line, high has headings', async () => {
    const [low, medium, high] = await Promise.all(
      ['low', 'medium', 'high'].map((verbosity) => textOf('How do tides work?', { text: { verbosity } })),
    )
    expect(low).not.toContain('\n')
    expect(medium).toBe(await textOf('How do tides work?'))
    expect(high?.match(/^## /gm)?.length).toBe(3)
    expect((low ?? '').length).toBeLessThan((medium ?? '').length)
    expect((high ?? '').length).toBeGreaterThan((medium ?? '').length)
  })

  it('warn of a verbosity that is none', async () => {
    const { text, warnings } = await ask('How do tides work?', { text: { verbosity: 'chatty' } })
    expect(text).toBe(await textOf('How do tides work?'))
    expect(warnings).toContainEqual(expect.stringContaining("'chatty'"))
  })

  it('come in all these lengths', async () => {
    const lengths = await Promise.all(
      questions.map(async (question) => (await ask(question)).usage.output_tokens),
    )
    expect(Math.min(...lengths)).toBeLessThan(40)
    expect(Math.max(...lengths)).toBeGreaterThan(100)
  })

  it('quote the question, so that a test can tell which one was answered', async () => {
    for (const question of questions) expect(await textOf(question)).toContain(question)
    const long = `${'Why is it that '.repeat(8)}this takes so long?`
    expect(await textOf(long)).toContain(long.slice(0, 60))
  })

  it('depend on seed, model and input alone', async () => {
    for (const question of questions) {
      const text = await textOf(question)
      expect(await textOf(question, { temperature: 1, metadata: { run: '2' }, user: 'b' })).toBe(text)
      expect(text.startsWith(await textOf(question, { max_output_tokens: 9 }))).toBe(true)
    }
  })

  it('leave no slot unfilled, and begin sentences with a capital, whatever the question', async () => {
    const odd = [
      '',
      '?',
      '...',
      'constructor',
      '{T}',
      'a',
      '$&',
      'how to',
      '# Title',
      '"',
      'what is the',
      '日本語は？',
      '12',
    ]
    for (const question of [...questions, ...odd])
      for (const verbosity of ['low', 'medium', 'high']) {
        const text = (await textOf(question, { text: { verbosity } })).replaceAll(
          question === '' ? '\0' : question,
          'Q',
        )
        expect(text).not.toMatch(/\{[TUQN]\}|undefined| {2}|\s\.|\(\)/)
        expect(text).not.toMatch(/(?<!\.\.)[.!?] [a-z]/)
        expect(text).not.toBe('')
      }
  })
})

describe('reasoning tokens', () => {
  const tokens = async (reasoning: object | null) => {
    const { usage } = await ask('How do tides work?', { reasoning })
    return usage.output_tokens_details.reasoning_tokens
  }

  it('were always 0: now they are used where the request asks for reasoning', async () => {
    for (const reasoning of [{ effort: 'low' }, { effort: 'high' }, { summary: 'auto' }, { enabled: true }])
      expect(await tokens(reasoning)).toBeGreaterThan(0)
    for (const reasoning of [null, {}, { effort: 'none' }, { enabled: false }, { max_tokens: 0 }])
      expect(await tokens(reasoning)).toBe(0)
  })

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

  it('come first where max_output_tokens ends the answer', async () => {
    const { text, usage } = await ask('How do tides work?', {
      reasoning: { max_tokens: 6 },
      max_output_tokens: 9,
    })
    expect(usage).toMatchObject({ output_tokens: 9, output_tokens_details: { reasoning_tokens: 6 } })
    expect((await textOf('How do tides work?')).startsWith(text)).toBe(true)
    expect(text.split(' ')).toHaveLength(3)
  })
})
