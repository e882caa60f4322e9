import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'

const request = (body: object) => ({
  method: 'POST',
  headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'aurora/dawn-2', ...body }),
})
const orphan = {
  input: [
    { role: 'user', content: 'Which tide?' },
    { type: 'function_call_output', call_id: 'gone', output: '1' },
  ],
}
const url = 'http://gateway.test/api/v1/responses'
const message = 'No tool call found for function call output with call_id gone.'

describe('a request that breaks a rule', () => {
  it('is answered with a warning in the journal and in a header', async () => {
    const gateway = createGateway()
    const reply = await gateway.fetch(url, request(orphan))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-understudy-warnings')).toBe(`tool-result-without-call: ${message}`)
    const [entry] = gateway.journal.entries()
    expect(entry?.brokenRules).toEqual([{ rule: 'tool-result-without-call', param: 'input', message }])
    expect(entry?.warnings).toContain(`input: ${message} (rule tool-result-without-call)`)
  })

  it('is refused with strict, in the vendor’s form', async () => {
    const gateway = createGateway({ strict: true })
    const reply = await gateway.fetch(url, request(orphan))
    expect(reply.status).toBe(400)
    expect(await reply.json()).toEqual({
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
    expect(reply.headers.get('x-understudy-assumptions')).toBe('requestRules')
  })

  it('is answered without a warning with onlySpecified', async () => {
    const gateway = createGateway({ onlySpecified: true })
    const input = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which tide?' }] },
      { type: 'function_call_output', call_id: 'gone', output: '1' },
    ]
    const reply = await gateway.fetch(url, request({ input }))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-understudy-warnings')).toBeNull()
    expect(gateway.journal.entries()[0]?.brokenRules).toBeNull()
  })
})

const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'call_1', output: '1' }
const question = { role: 'user', content: 'Which tide?' }
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [] }
const answer = { type: 'message', id: 'msg_1', role: 'assistant', content: 'High.' }
const custom = { type: 'custom_tool_call', call_id: 'call_1', name: 'patch', input: '*' }
const spot = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}
const strictTool = (parameters: object) => ({
  input: 'Hi',
  tools: [{ type: 'function', name: 'look', strict: true, parameters }],
})
const looseTool = (parameters: object, name = 'look') => ({
  input: 'Hi',
  tools: [{ type: 'function', name, parameters }],
})
const withA = (a: object, more = {}) => ({ ...spot, properties: { a }, ...more })
const nested = (levels: number): object => (levels === 0 ? { type: 'string' } : withA(nested(levels - 1)))
const many = (count: number) => {
  const names = Array.from({ length: count }, (_, place) => `p${place}`)
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return { ...spot, properties, required: names }
}
const format = (schema: object) => ({
  input: 'Hi',
  text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } },
})

const broken: [title: string, body: object, rule: string, message: string, param?: string][] = [
  [
    'a call without its output',
    { input: [question, call] },
    'tool-call-without-result',
    'No tool output found for function call call_1.',
  ],
  [
    'a custom call without its output',
    { input: [question, custom, question] },
    'tool-call-without-result',
    'No tool output found for custom tool call call_1.',
  ],
  [
    'an item sent twice',
    { input: [question, answer, question, answer] },
    'duplicate-item-id',
    'Duplicate item found with id msg_1.',
  ],
  [
    'reasoning at the end',
    { input: [question, reasoning] },
    'reasoning-without-item',
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'reasoning before an output',
    { input: [call, reasoning, output] },
    'reasoning-without-item',
    "Item 'rs_1' of type 'reasoning'",
  ],
  [
    'a tool name with a space',
    looseTool(spot, 'look up'),
    'tool-name-pattern',
    "Invalid 'tools[0].name': string does not match pattern.",
    'tools[0].name',
  ],
  [
    'a tool name of 129 characters',
    looseTool(spot, 'a'.repeat(129)),
    'tool-name-length',
    "Invalid 'tools[0].name': string too long. Expected a string with maximum length 128, but got a string with length 129",
    'tools[0].name',
  ],
  [
    'parameters that are not an object',
    looseTool({ type: 'array', items: {} }),
    'strict-root',
    `Invalid schema for function 'look': schema must be a JSON Schema of 'type: "object"', got 'type: "array"'.`,
    'tools[0].parameters',
  ],
  [
    'a union as parameters',
    looseTool({ ...spot, anyOf: [{}] }),
    'strict-root-union',
    "Invalid schema for function 'look': schema must have type 'object' and not have",
    'tools[0].parameters',
  ],
  [
    'an unresolved reference',
    looseTool(withA({ $ref: '#/$defs/Place' })),
    'ref-unresolved',
    "Invalid schema for function 'look': In context=('properties', 'a'), reference to component '#/$defs/Place' which was not found in the schema.",
    'tools[0].parameters',
  ],
  [
    'a list without items',
    looseTool(withA({ type: 'array' })),
    'array-items',
    "Invalid schema for function 'look': In context=('properties', 'a'), array schema missing items.",
    'tools[0].parameters',
  ],
  [
    'an open object',
    strictTool({ ...spot, additionalProperties: true }),
    'strict-additional-properties',
    "Invalid schema for function 'look': In context=(), 'additionalProperties' is required to be supplied and to be false.",
    'tools[0].parameters',
  ],
  [
    'an object without properties',
    strictTool(withA({ type: 'object', additionalProperties: false })),
    'object-properties',
    "Invalid schema for function 'look': In context=('properties', 'a'), object schema missing properties.",
    'tools[0].parameters',
  ],
  [
    'an optional property',
    strictTool({ ...spot, required: [] }),
    'strict-required',
    "Invalid schema for function 'look': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'a'.",
    'tools[0].parameters',
  ],
  [
    'an unknown required property',
    strictTool({ ...spot, required: ['a', 'b'] }),
    'required-unknown',
    "Invalid schema for function 'look': In context=(), 'required' is required",
    'tools[0].parameters',
  ],
  [
    'a keyword of the format',
    format(withA({ type: 'string', default: '' })),
    'strict-keyword',
    "Invalid schema for response_format 'answer': In context=('properties', 'a'), 'default' is not permitted.",
    'text.format.schema',
  ],
  [
    'a property of any type',
    strictTool(withA({ description: 'Any' })),
    'strict-type-key',
    "Invalid schema for function 'look': In context=('properties', 'a'), schema must have a 'type' key.",
    'tools[0].parameters',
  ],
  [
    'keywords next to a reference',
    format(withA({ $ref: '#/$defs/P', title: 'P' }, { $defs: { P: { type: 'string' } } })),
    'ref-siblings',
    "Invalid schema for response_format 'answer': In context=('properties', 'a'), $ref cannot have keywords {'title'}.",
    'text.format.schema',
  ],
  [
    'twelve levels',
    format(nested(12)),
    'strict-depth',
    "Invalid schema for response_format 'answer': 12 levels of nesting exceeds limit of 10.",
    'text.format.schema',
  ],
  [
    '5,001 properties',
    strictTool(many(5001)),
    'strict-properties',
    "Invalid schema for function 'look': 5001 parameters exceeds limit of 5000.",
    'tools[0].parameters',
  ],
  [
    '1,001 values',
    strictTool(withA({ type: 'integer', enum: [...Array(1001).keys()] })),
    'strict-enum',
    "Invalid schema for function 'look': ",
    'tools[0].parameters',
  ],
  [
    'a temperature',
    { input: 'Hi', model: 'acme/plain', temperature: 0.2 },
    'parameter-unsupported',
    "Unsupported parameter: 'temperature' is not supported with this model.",
    'temperature',
  ],
  [
    'an effort',
    { input: 'Hi', model: 'acme/plain', reasoning: { effort: 'low' } },
    'parameter-unsupported',
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    'reasoning.effort',
  ],
  [
    'a prompt above the window',
    { input: 'tide '.repeat(2000), model: 'acme/plain' },
    'context-window',
    'Your input exceeds the context window of this model.',
  ],
]

describe('POST /responses', () => {
  it.each(broken)(
    'warns of %s, and refuses it with strict',
    async (_, body, rule, message, param = 'input') => {
      const [loose, strict] = await Promise.all([send(body, false), send(body, true)])
      expect(loose.broken[0]).toMatchObject({ rule, param, message: expect.stringContaining(message) })
      const expected = { param, message: expect.stringContaining(message), metadata: { rule } }
      expect(strict).toMatchObject({ status: 400, json: { error: expected } })
    },
  )

  it.each<[string, object]>([
    ['outputs in any order', { input: [question, output, call] }],
    [
      'reasoning before a message without an id',
      { input: [question, reasoning, { role: 'assistant', content: 'A' }] },
    ],
    ['reasoning before a call', { input: [question, reasoning, call, output] }],
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
    ['unsupported keywords without strict', looseTool(withA({ type: 'string', default: '', minLength: 1 }))],
    ['ten levels', format(nested(10))],
    ['the default temperature', { input: 'Hi', model: 'acme/plain', temperature: 1, top_p: 1 }],
    [
      'a long prompt that may be truncated',
      { input: 'tide '.repeat(2000), model: 'acme/plain', truncation: 'auto' },
    ],
    ['a prompt near the window', { input: 'tide '.repeat(1300), model: 'acme/plain' }],
  ])('does not warn of %s', async (_, body) => {
    expect((await send(body, false)).broken).toEqual([])
  })

  it('pairs calls with the outputs of a stored response', async () => {
    const gateway = createGateway({ storedResponses: true })
    const post = (body: object) => gateway.fetch(url, request({ store: true, ...body }))
    const breaches = () => gateway.journal.entries().at(-1)?.brokenRules
    gateway.reply(
      { output: [{ type: 'function_call', call_id: 'call_1', name: 'look', arguments: {} }] },
      { times: 1 },
    )
    const { id: previous_response_id } = await (await post({ input: 'Which tide?' })).json()
    await post({ previous_response_id, input: 'And?' })
    expect(breaches()).toMatchObject([{ message: 'No tool output found for function call call_1.' }])
    await post({ previous_response_id, input: [{ ...output, call_id: 'other' }] })
    expect(breaches()).toMatchObject([
      { rule: 'tool-result-without-call' },
      { rule: 'tool-call-without-result' },
    ])
    await post({ previous_response_id, input: [output] })
    expect(breaches()).toEqual([])
  })

  it('refuses what was not stored', async () => {
    const gateway = createGateway({ storedResponses: true, strict: true })
    const post = async (body: object) => {
      const reply = await gateway.fetch(url, request(body))
      return [reply.status, (await reply.json()).error.message]
    }
    const item = { type: 'item_reference', id: 'rs_1' }
    expect(await post({ input: [question, item] })).toEqual([
      404,
      expect.stringMatching("^Item with id 'rs_1' not found."),
    ])
    expect(await post({ input: 'Hi', previous_response_id: 'resp_1' })).toEqual([
      400,
      "Previous response with id 'resp_1' not found.",
    ])
  })

  it('warns of a stored item that comes back without its reasoning', async () => {
    const gateway = createGateway({ storedResponses: true })
    const post = (body: object) => gateway.fetch(url, request({ store: true, ...body }))
    const breaches = () => gateway.journal.entries().at(-1)?.brokenRules
    const output = [
      { type: 'reasoning', summary: ['I greet.'] },
      { type: 'message', content: 'Hello' },
    ]
    gateway.reply({ output }, { times: 1 })
    const [thought, hello] = (await (await post({ input: 'Hi' })).json()).output
    for (const item of [hello, { type: 'item_reference', id: hello.id }]) {
      await post({ input: [question, thought, item, question] })
      expect(breaches()).toEqual([])
    }
    const without = new Set<unknown>()
    for (const item of [hello, { type: 'item_reference', id: hello.id }]) {
      await post({ input: [question, item, question], store: false })
      without.add(breaches()?.[0]?.message)
    }
    const message = `Item '${hello.id}' of type 'message' was provided without its required 'reasoning' item: '${thought.id}'.`
    expect([...without]).toEqual([message])
  })
})

/** Sends a body to a gateway whose model `acme/plain` has a window of 1,000 tokens, and takes no parameters. */
async function send(body: object, strict: boolean) {
  const gateway = createGateway({ strict })
  await gateway.db.models.create({ id: 'acme/plain', context_length: 1000, supported_parameters: [] })
  const reply = await gateway.fetch(url, request(body))
  const broken = gateway.journal.entries().at(-1)?.brokenRules ?? []
  return { status: reply.status, json: await reply.json(), broken }
}
