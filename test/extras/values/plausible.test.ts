/**
 * Tests that tool arguments and structured output take their values from the prompt and match their schemas, and
 * compares them, including implausible values, with stored files, which `vitest run -u test/extras/values` rewrites.
 */
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/node.ts'
import { call } from '../../call.ts'
import prompts from './prompts.json' with { type: 'json' }

interface Prompt {
  prompt: string
  /** Description of the tool. */
  description?: string
  schema: object
  /** If true, the value is the structured output; otherwise, the arguments of a tool call. */
  structured?: boolean
}

const gateway = createGateway()
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

async function argumentsFor(input: string, parameters: object, description?: string): Promise<unknown> {
  const tools = [{ type: 'function', name: 'run', description, parameters }]
  const body = { model: 'aurora/dawn-2', input, tools, tool_choice: 'required' }
  const { output } = (await call(gateway, 'POST /responses', { body })).body
  return JSON.parse(output[0].arguments)
}

async function structuredFor(input: string, schema: object): Promise<unknown> {
  const text = { format: { type: 'json_schema', name: 'x', schema } }
  const { output } = (
    await call(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', input, text } })
  ).body
  return JSON.parse(output[0].content[0].text)
}

it("tool arguments for a flight contain the prompt's cities, date and number of passengers", async () => {
  const text = { type: 'string' }
  const properties = {
    origin: text,
    destination: text,
    departure_date: text,
    passengers: { type: 'integer' },
  }
  const prompt = 'Book a flight from Paris to Rome on 2026-03-04 for 2 people'
  expect(
    await argumentsFor(prompt, { type: 'object', properties, required: Object.keys(properties) }),
  ).toEqual({
    origin: 'Paris',
    destination: 'Rome',
    departure_date: '2026-03-04',
    passengers: 2,
  })
})

async function valueFor({ prompt, description, schema, structured }: Prompt): Promise<unknown> {
  return structured ? structuredFor(prompt, schema) : argumentsFor(prompt, schema, description)
}

it("tool arguments and structured output contain each prompt's values and match their schema", async () => {
  const values: unknown[] = []
  for (const each of prompts) {
    const value = await valueFor(each)
    values.push(value)
    expect.soft(value, each.prompt).toMatchObject(each.expected)
    expect.soft(ajv.validate(each.schema, value), `${each.prompt}: ${ajv.errorsText()}`).toBe(true)
  }
  await expect(linesOf(values)).toMatchFileSnapshot('prompts.txt')
})

it('tool arguments and structured output for further prompts are unchanged', async () => {
  const corpus = readFileSync(new URL('corpus.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  const values: unknown[] = []
  for (const line of corpus) values.push(await valueFor(JSON.parse(line)))
  await expect(linesOf(values)).toMatchFileSnapshot('corpus.txt')
})

function linesOf(values: readonly unknown[]): string {
  return `${values.map((value) => JSON.stringify(value)).join('\n')}\n`
}
