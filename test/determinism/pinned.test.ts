/**
 * Compares the bytes generated from a seed with stored files: a new release generates the same bytes for seed
 * 1 unless its changelog says otherwise. `vitest run -u test/determinism` rewrites the files.
 */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { draw, hash, random, uuid } from '../../src/lib/seed.ts'
import { writeReasoning } from '../../src/model/reasoning.ts'
import { bundledProfiles } from '../../src/sandbox/latency.ts'
import { defaultOptions } from '../../src/sandbox/options.ts'
import { call, type Target } from '../call.ts'

const inFile = (name: string) => `./pinned/${name}.txt`
const inLines = (values: readonly unknown[]) => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`

const post = async (gateway: Target, path: string, body: object) =>
  (await call(gateway, `POST ${path}`, { body })).text

it('numbers, hashes and UUIDs derived from labels are unchanged', async () => {
  const next = random('pinned', 1)
  const values = [
    [hash('a'), hash('a', 'b'), hash(1, 2), hash('ü', '🦊')],
    [draw('a'), draw('a', 1)],
    Array.from({ length: 6 }, next),
    [uuid('a'), uuid('a', 1)],
  ]
  await expect(inLines(values)).toMatchFileSnapshot(inFile('seed'))
})

it('default options are unchanged', async () => {
  const defaults = Object.entries(defaultOptions())
  await expect(inLines(defaults)).toMatchFileSnapshot(inFile('options'))
})

it('bundled latency profiles and reasoning token counts are unchanged', async () => {
  const efforts = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']
  const count = (request: object) =>
    writeReasoning({ ...request, isHidden: true }, '', 'pinned', () => {}).reasoningTokens
  const tokens = efforts.map((effort) => [effort, count({ effort }), count({ effort, maxTokens: 50 })])
  await expect(inLines([...Object.entries(bundledProfiles), ...tokens])).toMatchFileSnapshot(
    inFile('latency'),
  )
})

it('generated records are unchanged for any record count', async () => {
  const size = {
    providers: 40,
    workspaces: 20,
    embeddingsModels: 30,
    benchmarks: 110,
    presets: 20,
    pages: 50,
    posts: 60,
    models: 40,
  }
  const { db } = createGateway({ recordCounts: size })
  for (const [name, collection] of Object.entries(db)) {
    const records = await collection.list()
    await expect(inLines(records)).toMatchFileSnapshot(inFile(name))
  }
})

const questions = [
  'How do tides work?',
  'Tell me a joke',
  'List three museums in Oslo with their opening hours',
  'Explain, step by step, how to bake sourdough bread in a small kitchen, and which mistakes beginners make.',
  'Compare TCP and UDP',
  'Wie backt man Brot?',
  '空はなぜ青いの?',
  '🦊 foxes, please',
  'ok',
  '1 + 1',
  'Write a function that reverses a string in Rust. '.repeat(12),
]

/** Questions that lead to every kind and length of answer. */
const manyQuestions = [
  '',
  'Hello!',
  'Please say good morning.',
  'Thanks a lot',
  'Is it cold in Oslo?',
  'Is it cold in Oslo? Answer yes or no.',
  'Describe tides briefly',
  'Explain tides in detail',
  'Name seven Norwegian rivers',
  'Name 10 Norwegian rivers',
  'What are the reasons for tides?',
  'Suggest museums',
  'Pros and cons of trains',
  'How do I bake bread?',
  'How do I bake bread in six steps?',
  'Write a poem about foxes',
  'Write a haiku about foxes',
  'Tell me a joke',
  'Tell me a story about foxes',
  'Write an e-mail to the baker',
  'Write a function that counts foxes',
  'Write a function that counts foxes in Rust',
  'Write a bash script that counts foxes',
  'Write a SQL query that counts foxes',
  'Describe a fox as JSON',
  'Show the tides of Oslo as a table',
  'Give me three tips for Oslo',
  'Explain tides in three sentences',
  'Explain tides in two paragraphs',
  'Explain tides in one sentence',
  'Compare trains and trams',
  'What is better than a train?',
  'Differences between trains and trams in detail',
  'Trains, trams, buses: which of them, and why?',
  'Why are foxes red',
  'of the and',
  'x'.repeat(100),
]
/** Function call outputs. */
const results = [
  '{"city":"Oslo","degrees":7,"wind":null,"days":[1,2],"sun":true,"note":"cold","seventh":1}',
  '{}',
  '{not JSON',
  'Sunny, 7 degrees.',
  '',
]

describe('generated texts', () => {
  it('are unchanged in every layout', async () => {
    const gateway = createGateway()
    const texts: string[] = []
    for (const input of manyQuestions) {
      const reply = JSON.parse(await post(gateway, '/responses', { model: 'aurora/dawn-2', input }))
      texts.push(`# ${input.slice(0, 80)}\n${reply.error?.message ?? reply.output[0].content[0].text}\n`)
    }
    await expect(texts.join('\n')).toMatchFileSnapshot(inFile('layouts'))
  })

  it('are unchanged in answers to function call outputs', async () => {
    const gateway = createGateway()
    const texts: string[] = []
    for (const verbosity of ['low', 'medium', 'high']) {
      for (const output of results) {
        const input = [
          { role: 'user', content: 'How is the weather?' },
          { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output },
        ]
        const body = { model: 'aurora/dawn-2', input, text: { verbosity } }
        const reply = JSON.parse(await post(gateway, '/responses', body))
        texts.push(`# ${verbosity}: ${output}\n${reply.output[0].content[0].text}\n`)
      }
    }
    await expect(texts.join('\n')).toMatchFileSnapshot(inFile('function-results'))
  })

  it('are unchanged in scripted function calls, including ids', async () => {
    const gateway = createGateway()
    gateway.use({
      on: 'createResponse',
      script: [{ text: 'Two calls.', call: { a: { of: 1 }, b: {} } }, { call: { c: {} } }],
    })
    const model = 'aurora/dawn-2'
    const first = await post(gateway, '/responses', { model, input: 'Go' })
    const asked: { type: string; call_id: string }[] = JSON.parse(first).output
    const given = asked
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'done' }))
    const input = [{ role: 'user', content: 'Go' }, ...asked, ...given]
    const replies = [first, await post(gateway, '/responses', { model, input, stream: true })]
    await expect(`${replies.join('\n')}\n`).toMatchFileSnapshot(inFile('scripted-calls'))
  })

  it.each(['low', 'medium', 'high'])('are unchanged with verbosity %s', async (verbosity) => {
    const gateway = createGateway()
    const texts: unknown[] = []
    for (const input of questions) {
      const body = { model: 'aurora/dawn-2', input, text: { verbosity }, reasoning: { effort: verbosity } }
      const { output, usage } = JSON.parse(await post(gateway, '/responses', body))
      texts.push({ input, text: output.at(-1).content[0].text, usage })
    }
    await expect(inLines(texts)).toMatchFileSnapshot(inFile(`texts-${verbosity}`))
  })

  it('are unchanged with citations, as JSON and as a stream', async () => {
    const gateway = createGateway({ search: { limitedEngine: 'engine_a' } })
    const replies: string[] = []
    for (const input of questions.slice(0, 6)) {
      const body = { model: 'borealis/polar-4:online', input }
      replies.push(await post(gateway, '/responses', body))
    }
    replies.push(
      await post(gateway, '/responses', { model: 'aurora/dawn-2:online', input: questions[0], stream: true }),
    )
    await expect(`${replies.join('\n')}\n`).toMatchFileSnapshot(inFile('citations'))
  })
})
