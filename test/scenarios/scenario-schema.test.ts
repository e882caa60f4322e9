import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { faults } from '../../src/faults/index.ts'
import { scenarioJsonSchema } from '../../src/scenarios/scenario-json-schema.ts'
import { everyOperation } from '../../src/setup.ts'
import { hasExtra } from '../has-extra.ts'

const file = new URL('../../scenarios/scenario.schema.json', import.meta.url)

const hasExtensions = ['chat', 'messages', 'models', 'management'].every(hasExtra)

it.runIf(hasExtensions)('scenario.schema.json is up to date (if not: npm run generate)', async () => {
  const text = `${JSON.stringify(scenarioJsonSchema(everyOperation), null, 2)}\n`
  expect(await readFile(file, 'utf8')).toBe(text)
})

it('scenario.schema.json contains every operation, including those outside the specification, and every fault', async () => {
  const text = await readFile(file, 'utf8')
  for (const { id } of everyOperation) expect(text).toContain(`"${id}"`)
  for (const { name } of faults) expect(text).toContain(`"${name}"`)
})
