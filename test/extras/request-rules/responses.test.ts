import { describe, expect, it } from 'vitest'
import { toFetch } from '../../../src/delivery/fetch.ts'
import { GatewayCore } from '../../../src/gateway/gateway.ts'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { gatewayWithModels, send } from './send.ts'

const orphan = {
  input: [
    { role: 'user', content: 'Which tide?' },
    { type: 'function_call_output', call_id: 'gone', output: '1' },
  ],
}
const line = 'POST /responses'
const message = 'No tool call found for function call output with call_id gone.'

describe('a request that breaks a rule', () => {
  it('is answered with a warning in the journal and in a header', async () => {
    const { status, headers, broken, warnings } = await send(createGateway(), line, orphan)
    expect(status).toBe(200)
    expect(headers.get('x-understudy-warnings')).toBe(`tool-result-without-call: ${message}`)
    expect(broken).toEqual([{ rule: 'tool-result-without-call', param: 'input', message }])
    expect(warnings).toContain(`input: ${message} (rule tool-result-without-call)`)
  })

  it('is refused with strict, in the vendor’s form', async () => {
    const { status, headers, json } = await send(createGateway({ strict: true }), line, orphan)
    expect(status).toBe(400)
    expect(json).toEqual({
      error: {
        code: 400,
        message,
        type: 'invalid_request_error',
        param: 'input',
        metadata: {
          rule: 'tool-result-without-call',
          violations: [{ path: 'body.input', message, rule: 'tool-result-without-call' }],
        },
      },
    })
    expect(headers.get('x-understudy-assumptions')).toBe('requestRules')
  })

  const core = () => {
    const gateway = new GatewayCore({ strict: true })
    return Object.assign(gateway, { fetch: toFetch(gateway) }) as Gateway
  }
  it.each([
    ['with onlySpecified', () => createGateway({ onlySpecified: true }), null],
    ['by a gateway without extras', core, []],
  ])('is answered without a warning %s', async (_, create, checked) => {
    const input = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which tide?' }] },
      { type: 'function_call_output', call_id: 'gone', output: '1' },
    ]
    const { status, headers, broken } = await send(create(), line, { input })
    expect([status, headers.get('x-understudy-warnings'), broken]).toEqual([200, null, checked])
  })
})

const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'call_1', output: '1' }
const question = { role: 'user', content: 'Which tide?' }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
const answer = { type: 'message', id: 'msg_1', role: 'assistant', content: 'High.' }
const custom = { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '*' }
const closed = { type: 'object', required: ['a'], additionalProperties: false }
const withA = (a: object, more = {}) => ({ ...closed, properties: { a }, ...more })
const spot = withA({ type: 'string' })
const nested = (levels: number): object => (levels === 0 ? { type: 'string' } : withA(nested(levels - 1)))
const many = (count: number) => {
  const names = Array.from({ length: count }, (_, place) => `p${place}`)
  return { ...closed, properties: Object.fromEntries(names.map((name) => [name, true])), required: names }
}
const tool = (parameters: object, more = {}) => {
  return { input: 'Hi', tools: [{ type: 'function', name: 'look', parameters, ...more }] }
}
const strictTool = (parameters: object) => tool(parameters, { strict: true })
const format = (schema: object) => {
  return { input: 'Hi', text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } } }
}
const plain = { input: 'Hi', model: 'acme/plain' }
const long = { input: 'tide '.repeat(2000), model: 'acme/plain' }
const inA = "In context=('properties', 'a'), "
const needsAll = "'required' is required to be supplied and to be an array including every key in properties."

/** Rules by parameter, each with a body that breaks it, and text in the vendor's message. */
const broken: Record<string, [rule: string, body: object, text: string][]> = {
  input: [
    [
      'tool-call-without-result',
      { input: [question, call] },
      'No tool output found for function call call_1.',
    ],
    ['tool-call-without-result', { input: [custom, question] }, 'found for custom tool call call_1.'],
    [
      'duplicate-item-id',
      { input: [answer, question, answer] },
      'Duplicate item found with id msg_1. Remove',
    ],
    [
      'reasoning-without-item',
      { input: [question, reasoning] },
      "Item 'rs_1' of type 'reasoning' was provided",
    ],
    ['reasoning-without-item', { input: [call, reasoning, output] }, 'without its required following item.'],
    ['reasoning-without-item', { input: [reasoning, call, output] }, 'without its required following item.'],
    ['context-window', long, 'Your input exceeds the context window of this model.'],
  ],
  tool_choice: [
    [
      'tool-choice-unknown',
      { ...tool(spot), tool_choice: { type: 'function', name: 'see' } },
      "Tool choice 'see' not found in 'tools' parameter.",
    ],
  ],
  'tools[0].name': [
    ['tool-name-pattern', tool(spot, { name: 'look up' }), "Invalid 'tools[0].name': string does not match"],
    ['tool-name-length', tool(spot, { name: 'a'.repeat(129) }), 'but got a string with length 129 instead.'],
  ],
  'tools[0].parameters': [
    ['strict-root', tool({ type: 'array', items: {} }), `Invalid schema for function 'look': schema must be`],
    ['strict-root', tool({ type: { toString: 1 } }), `got 'type: "{"toString":1}"'.`],
    ['strict-root', tool({ properties: {} }), `'type: "object"', got 'type: "None"'.`],
    ['strict-root-union', tool({ ...spot, anyOf: [{}] }), "schema must have type 'object' and not have"],
    ['ref-unresolved', tool(withA({ $ref: '#/$defs/B' })), `${inA}reference to component '#/$defs/B' which`],
    ['array-items', tool(withA({ type: 'array' })), `${inA}array schema missing items.`],
    ['strict-additional-properties', strictTool({ ...spot, additionalProperties: {} }), 'In context=(), '],
    ['object-properties', strictTool(withA({ type: 'object', additionalProperties: false })), `${inA}object`],
    ['strict-required', strictTool({ ...spot, required: [] }), `${needsAll} Missing 'a'.`],
    ['required-unknown', strictTool({ ...spot, required: ['a', 'b'] }), `${needsAll} Extra required key 'b'`],
    ['strict-required', strictTool({ ...spot, required: [{ toString: 1 }] }), `${needsAll} Missing 'a'.`],
    [
      'strict-keyword',
      strictTool(withA({ type: 'string', default: '' })),
      `${inA}'default' is not permitted.`,
    ],
    ['strict-type-key', strictTool(withA({ title: 'A' })), `${inA}schema must have a 'type' key.`],
    ['strict-properties', strictTool(many(5001)), '5001 parameters exceeds limit of 5000.'],
    ['strict-enum', strictTool(withA({ enum: [...Array(1001).keys()] })), '1001 enum values exceeds limit'],
  ],
  'text.format.schema': [
    [
      'strict-root',
      format({ type: 'array', items: {} }),
      "Invalid schema for response_format 'answer': schema",
    ],
    ['ref-siblings', format(withA({ $ref: '#', title: 'A' })), `${inA}$ref cannot have keywords {'title'}.`],
    ['strict-depth', format(nested(12)), "'answer': 12 levels of nesting exceeds limit of 10."],
  ],
  temperature: [
    ['parameter-unsupported', { ...plain, temperature: 0.2 }, "'temperature' is not supported"],
    ['temperature-range', { input: 'Hi', temperature: 5 }, 'Expected a value <= 2, but got 5 instead.'],
  ],
  top_p: [['parameter-unsupported', { ...plain, top_p: 0.5 }, "Unsupported parameter: 'top_p' is not"]],
  'reasoning.effort': [
    [
      'parameter-unsupported',
      { ...plain, reasoning: { effort: 'low' } },
      "'reasoning.effort' is not supported",
    ],
  ],
}

describe('POST /responses', () => {
  const rows = Object.entries(broken).flatMap(([param, each]) => each.map((row) => [param, ...row] as const))
  it.each(rows)('warns of %s by rule %s, and refuses it with strict', async (param, rule, body, text) => {
    const [loose, strict] = await Promise.all(
      [false, true].map(async (strict) => send(await gatewayWithModels({ strict }), line, body)),
    )
    const message = expect.stringContaining(text)
    expect(loose?.broken?.[0]).toMatchObject({ rule, param, message })
    expect(strict).toMatchObject({ status: 400, json: { error: { param, message, metadata: { rule } } } })
  })

  it.each<[string, object]>([
    ['outputs in any order', { input: [question, output, call] }],
    [
      'reasoning before a message without an id',
      { input: [question, reasoning, { role: 'assistant', content: 'A' }] },
    ],
    ["another vendor's reasoning", { input: [question, { ...reasoning, id: 'rs-1' }] }],
    ['reasoning before a call', { input: [question, reasoning, { ...call, id: 'fc_1' }, output] }],
    [
      'encrypted reasoning before a call without an id',
      { input: [question, { ...reasoning, encrypted_content: 'gA' }, call, output] },
    ],
    [
      'a call of a shell with the output of a function',
      { input: [{ ...call, type: 'local_shell_call' }, output] },
    ],
    [
      'references in a strict schema',
      strictTool(withA({ $ref: '#/$defs/P~1q' }, { $defs: { 'P/q': { type: 'string' } } })),
    ],
    ['a schema that contains itself', format(withA({ anyOf: [{ $ref: '#' }, { type: 'null' }] }))],
    [
      'supported keywords in a strict schema',
      strictTool(withA({ type: 'string', pattern: '^a', format: 'date' })),
    ],
    [
      'a property called default',
      strictTool({ ...spot, properties: { default: { type: 'string' } }, required: ['default'] }),
    ],
    ['unsupported keywords without strict', tool(withA({ type: 'string', default: '', minLength: 1 }))],
    ['ten levels', format(nested(10))],
    ['the default temperature', { ...plain, temperature: 1, top_p: 1 }],
    ['a long prompt that may be truncated', { ...long, truncation: 'auto' }],
    ['a prompt near the window', { ...plain, input: 'tide '.repeat(1300) }],
  ])('does not warn of %s', async (_, body) => {
    expect((await send(await gatewayWithModels(), line, body)).broken).toEqual([])
  })

  it('pairs calls with the outputs of a stored response', async () => {
    const gateway = createGateway({ storedResponses: true })
    const post = (body: object) => send(gateway, line, { store: true, ...body })
    gateway.reply(
      { output: [{ type: 'function_call', call_id: 'call_1', name: 'look', arguments: {} }] },
      { times: 1 },
    )
    const previous_response_id = (await post({ input: 'Which tide?' })).json.id
    const after = async (input: unknown) => (await post({ previous_response_id, input })).broken
    expect(await after('And?')).toMatchObject([{ message: 'No tool output found for function call call_1.' }])
    expect(await after([{ ...output, call_id: 'other' }])).toMatchObject([
      { rule: 'tool-result-without-call' },
      { rule: 'tool-call-without-result' },
    ])
    expect(await after([output])).toEqual([])
  })

  it('refuses ids that are not stored with strict, in the vendor’s form', async () => {
    const gateway = createGateway({ storedResponses: true, strict: true })
    const errorOf = async (body: object) => (await send(gateway, line, body)).json.error
    expect(await errorOf({ input: 'And?', previous_response_id: 'resp_gone' })).toMatchObject({
      code: 400,
      param: 'previous_response_id',
      message: "Previous response with id 'resp_gone' not found.",
    })
    const input = [question, { type: 'item_reference', id: 'rs_gone' }]
    const missing = { code: 404, param: 'input', message: "Item with id 'rs_gone' not found." }
    expect(await errorOf({ input })).toMatchObject(missing)
  })

  it('reports at most twenty breaches of a rule, and the number of further ones', async () => {
    const input = [question, ...Array.from({ length: 23 }, (_, at) => ({ ...call, call_id: `call_${at}` }))]
    const { broken } = await send(createGateway(), line, { input })
    expect(broken).toHaveLength(21)
    expect(broken?.at(-1)).toEqual({
      rule: 'tool-call-without-result',
      param: 'input',
      message: 'and 3 more',
    })
  })

  it('warns of a stored item that comes back without its reasoning', async () => {
    const gateway = createGateway({ storedResponses: true })
    const post = (body: object) => send(gateway, line, { store: true, ...body })
    const output = [
      { type: 'reasoning', summary: ['I greet.'] },
      { type: 'message', content: 'Hello' },
    ]
    gateway.reply({ output }, { times: 1 })
    const [thought, hello] = (await post({ input: 'Hi' })).json.output
    for (const item of [hello, { type: 'item_reference', id: hello.id }]) {
      expect((await post({ input: [question, thought, item, question] })).broken).toEqual([])
    }
    const without = new Set<unknown>()
    for (const item of [hello, { type: 'item_reference', id: hello.id }]) {
      const { broken } = await post({ input: [question, item, question], store: false })
      without.add(broken?.[0]?.message)
    }
    const message = `Item '${hello.id}' of type 'message' was provided without its required 'reasoning' item: '${thought.id}'.`
    expect([...without]).toEqual([message])
  })
})
