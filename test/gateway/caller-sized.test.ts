/**
 * Lists and objects as large as a caller likes: no stack overflows, warnings and violations are counted, and the time
 * grows with the bytes and not with their square. Time is processor time of this thread, and only compared.
 */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'

async function ask(body: string) {
  const gateway = createGateway({ timeScale: 0, maxBodyBytes: 64 * 1024 * 1024 })
  const from = process.threadCpuUsage()
  const reply = await gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body,
  })
  const text = await reply.text()
  const { user, system } = process.threadCpuUsage(from)
  const [{ warnings = [] } = {}] = gateway.journal.entries()
  return { status: reply.status, text, warnings, microseconds: user + system }
}

function list<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index))
}

const keys = (count: number) => Object.fromEntries(list(count, (index) => [`key_${index}`, index]))
const unknownTools = (count: number) =>
  list(count, (index) => ({ type: 'unknown', name: `tool_${index}`, extra: index }))
const message = { role: 'user', content: 'Hello?' }
const badMessage = { role: 7, content: 7 }
const withFields = (fields: object) => JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello?', ...fields })
const patient = 30_000

describe('unknown fields of the caller’s number', () => {
  it(
    'in 50,000 keys are warned of a hundred times, and counted',
    async () => {
      const { status, warnings } = await ask(withFields(keys(50_000)))
      expect(status).toBe(200)
      expect(warnings).toHaveLength(100)
      expect(warnings[99]).toContain('as are 49900 more')
    },
    patient,
  )

  it(
    'in 20,000 tools of an unknown type are warned of a hundred times at most',
    async () => {
      const { status, warnings } = await ask(withFields({ tools: unknownTools(20_000) }))
      expect(status).toBe(200)
      expect(warnings.length).toBeLessThanOrEqual(100)
    },
    patient,
  )
})

describe('a hundred thousand messages', () => {
  it(
    'are answered',
    async () => {
      const { status } = await ask(withFields({ input: list(100_000, () => message) }))
      expect(status).toBe(200)
    },
    patient,
  )

  it(
    'of which 65,000 are bad are a 400 with the first hundred violations, and how many more',
    async () => {
      const input = list(100_000, (index) => (index < 65_000 ? badMessage : message))
      const { status, text } = await ask(withFields({ input }))
      const { metadata } = JSON.parse(text).error
      expect(status).toBe(400)
      expect(metadata.violations).toHaveLength(100)
      expect(metadata.more).toBeGreaterThan(64_000)
    },
    patient,
  )
})

describe('the time of a request grows with its bytes and not with their square', () => {
  it.each<[string, (count: number) => string]>([
    ['unknown keys', (count) => withFields(keys(count))],
    ['keys of metadata', (count) => withFields({ metadata: keys(count) })],
    ['tools of an unknown type', (count) => withFields({ tools: unknownTools(count) })],
    [
      'functions',
      (count) =>
        withFields({
          tools: list(count, (index) => ({ type: 'function', name: `f_${index}`, parameters: {} })),
        }),
    ],
    ['messages', (count) => withFields({ input: list(count, () => message) })],
    ['bad messages', (count) => withFields({ input: list(count, () => badMessage) })],
    ['words', (count) => withFields({ input: 'Hello? '.repeat(10 * count) })],
    ['one long word', (count) => withFields({ input: 'x'.repeat(100 * count) })],
    [
      'domains',
      (count) =>
        withFields({
          plugins: [{ id: 'web', include_domains: list(count, (index) => `a${index}.example`) }],
        }),
    ],
    [
      'handles',
      (count) => withFields({ x_search_filter: { allowed_x_handles: list(count, (index) => `a${index}`) } }),
    ],
    [
      'properties of a schema',
      (count) =>
        withFields({
          text: {
            format: { type: 'json_schema', name: 'x', schema: { type: 'object', properties: keys(count) } },
          },
        }),
    ],
    ['brackets', (count) => '['.repeat(10 * count)],
    ['braces', (count) => '{"a":'.repeat(10 * count)],
  ])(
    'of %s',
    async (_, bodyOf) => {
      const times = [1000, 8000].map((count) => bodyOf(count))
      const [few, many] = [await least(times[0] as string), await least(times[1] as string)]
      // Eight times the bytes; their square would be sixty-four times. Below 2 ms, the clock and the collector speak.
      expect(many / Math.max(few, 2000)).toBeLessThan(30)
    },
    patient,
  )
})

/** Of three, in microseconds: the garbage of others is in some of them. */
async function least(body: string): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < 3; turn++) times.push((await ask(body)).microseconds)
  return Math.min(...times)
}
