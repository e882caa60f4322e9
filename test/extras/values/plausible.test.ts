/** Tests that tool arguments and structured output take their values from the prompt, and match their schemas. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/node.ts'
import { call } from '../../call.ts'
import prompts from './prompts.json' with { type: 'json' }

const gateway = createGateway()
const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)

async function argumentsFor(input: string, parameters: object): Promise<unknown> {
  const tools = [{ type: 'function', name: 'run', parameters }]
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

it("tool arguments and structured output contain each prompt's values and match their schema", async () => {
  for (const { prompt, schema, expected, structured } of prompts) {
    const value = await (structured ? structuredFor : argumentsFor)(prompt, schema)
    expect.soft(value, prompt).toMatchObject(expected)
    expect.soft(ajv.validate(schema, value), `${prompt}: ${ajv.errorsText()}`).toBe(true)
  }
})
