/**
 * Lists and objects as large as a caller likes: no stack overflows, warnings and violations are counted, and the time
 * grows with the bytes and not with their square. `caller-sized.slow.test.ts` measures all of them.
 */
import { describe, expect, it } from 'vitest'
import { draw } from '../../src/lib/seed.ts'
import { ask, growthOf, keys, list, message, patient, sized, unknownTools, withFields } from './sized.ts'

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

describe('the time of a request grows with its bytes and not with their square', () => {
  it.each(sized.filter(([what]) => draw('sized', what) < 0.12))(
    'for %s',
    async (_, sizedBy) => {
      // Eight times the bytes; their square would be sixty-four times.
      expect(await growthOf(sizedBy)).toBeLessThan(30)
    },
    patient,
  )
})
