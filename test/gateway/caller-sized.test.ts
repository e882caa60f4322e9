/**
 * Lists and objects as large as a caller likes: no stack overflows, and warnings and violations are counted. How their
 * work grows is in `test/proportional`.
 */
import { describe, expect, it } from 'vitest'
import {
  asking,
  badMessage,
  keys,
  list,
  message,
  unknownTools,
  withFields,
} from '../proportional/callers-data.ts'

const patient = 30_000
const ask = (body: string | undefined, line = 'POST /responses', rule?: object) =>
  asking({ line, ...(body !== undefined && { body }), rule })()

describe('unknown fields of the caller’s number', () => {
  it(
    'in 50,000 keys are warned of fifty times, and counted',
    async () => {
      const { status, warnings } = await ask(withFields(keys(50_000)))
      expect(status).toBe(200)
      expect(warnings).toHaveLength(51)
      expect(warnings[50]).toBe('and 49,950 more')
    },
    patient,
  )

  it(
    'in a template of 12,000 tags are warned of fifty times, and counted',
    async () => {
      const body = list(12_000, (index) => `{{ body.a${index} }}`).join('')
      const { warnings } = await ask(undefined, 'GET /providers', { on: '*', reply: { body } })
      expect(warnings).toHaveLength(51)
      expect(warnings[49]).toContain('body.a49')
      expect(warnings[50]).toBe('and 11,950 more')
    },
    patient,
  )

  it(
    'in 20,000 tools of an unknown type are warned of fifty times at most',
    async () => {
      const { status, warnings } = await ask(withFields({ tools: unknownTools(20_000) }))
      expect(status).toBe(200)
      expect(warnings.length).toBeLessThanOrEqual(51)
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
})

it(
  '100,000 messages of which 65,000 are bad are a 400 with the first hundred violations, and how many more',
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
