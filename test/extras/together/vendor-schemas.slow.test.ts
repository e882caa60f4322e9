/**
 * Tests that the dialect's replies and events match the vendor's schemas, except closed lists of values, which an
 * invented catalogue cannot match.
 */
import { readFileSync } from 'node:fs'
import { type AnySchemaObject, Ajv2020 as Validator } from 'ajv/dist/2020.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'

/** Fields whose values the vendor lists: its own tokenizers, prompt formats and providers. */
const closedEnums = ['architecture/tokenizer', 'architecture/instruct_type', 'endpoints/provider_name']

interface VendorDocument {
  readonly paths: Record<string, Record<string, { responses: Record<string, { content: object }> }>>
}
const file = new URL('../openrouter/openrouter-document.json', import.meta.url)
const document: VendorDocument = JSON.parse(readFileSync(file, 'utf8'))
const validator = new Validator({ strict: false, allErrors: true, validateFormats: false })
validator.addSchema(document as AnySchemaObject, 'vendor')

const gateway = createGateway({ dialect: 'openrouter', timeScale: 0 })
beforeEach(() => gateway.reset())

interface Checked {
  readonly status: number
  readonly body: string
  readonly violations: readonly string[]
}

async function send(line: string, body?: object): Promise<Checked> {
  const [method = '', path = ''] = line.split(' ')
  const reply = await gateway.fetch(`https://gateway.example/api/v1${path}`, {
    method,
    headers: {
      authorization: 'Bearer any',
      'content-type': 'application/json',
      'x-openrouter-metadata': 'enabled',
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  if (text === '') return { status: reply.status, body: text, violations: [] }
  const type = reply.headers.get('content-type')?.split(';')[0] ?? ''
  const schema = [
    'paths',
    pathOf(method, path),
    method.toLowerCase(),
    'responses',
    reply.status,
    'content',
    type,
    'schema',
  ]
  const pointer = schema.map((step) => encodeURIComponent(String(step).replaceAll('/', '~1'))).join('/')
  const isValid = validator.getSchema(`vendor#/${pointer}`)
  if (!isValid) throw new Error(`${line}: ${reply.status} ${type} is not documented`)
  const values = type === 'text/event-stream' ? eventsIn(text) : [JSON.parse(text)]
  const violations = values.flatMap((value) => (isValid(value) ? [] : (isValid.errors ?? [])))
  const relevant = violations.filter(({ instancePath }) => {
    const place = instancePath.replace(/\/\d+/g, '')
    return !closedEnums.some((field) => place.endsWith(field))
  })
  return {
    status: reply.status,
    body: text,
    // A failed enum also fails the unions that contain it.
    violations: relevant.flatMap(({ instancePath, keyword, params }) =>
      /^(?:any|one)Of$/.test(keyword) && relevant.length < violations.length
        ? []
        : [`${instancePath} ${keyword} ${JSON.stringify(params)}`],
    ),
  }
}

/** Returns the path template of a request, preferring one without parameters. */
function pathOf(method: string, path: string): string {
  const [route = ''] = path.split('?')
  const fits = (template: string) => new RegExp(`^${template.replace(/\{[^}]*\}/g, '[^/]+')}$`).test(route)
  const templates = Object.keys(document.paths).filter(
    (template) => fits(template) && document.paths[template]?.[method.toLowerCase()],
  )
  return templates.find((template) => !template.includes('{')) ?? templates[0] ?? route
}

/** Returns a stream's events in the form that the vendor's schemas describe. */
function eventsIn(text: string): object[] {
  return [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => {
    const data = JSON.parse(json)
    // Recorded streams begin with `usage: null`, which the document does not allow.
    if (data.response?.usage === null) delete data.response.usage
    return { event: data.type, data }
  })
}

const model = 'aurora/dawn-2'
const input = 'How do tides work?'
const messages = [{ role: 'user', content: input }]
const parameters = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] }
const tool = { type: 'function', name: 'look_up', parameters }
const format = { type: 'json_schema', name: 'tide', schema: { ...parameters, additionalProperties: false } }

const questions: [string, string, object][] = [
  ['POST /responses', 'a text', { input }],
  [
    'POST /responses',
    'reasoning, and all settings that are echoed',
    {
      input,
      instructions: 'Be brief.',
      reasoning: { effort: 'high', summary: 'detailed' },
      include: ['reasoning.encrypted_content'],
      text: { verbosity: 'low' },
      ...{ max_output_tokens: 3000, max_tool_calls: 3, top_logprobs: 1, top_p: 1, temperature: 1 },
      ...{ truncation: 'auto', service_tier: 'flex', background: false, user: 'u', metadata: { a: 'b' } },
      ...{ prompt_cache_key: 'k', safety_identifier: 's' },
    },
  ],
  [
    'POST /responses',
    'a search tool among others',
    {
      input: 'Search for tides',
      tools: [
        {
          type: 'web_search',
          engine: 'exa',
          search_context_size: 'low',
          filters: { allowed_domains: ['*.example'] },
        },
        tool,
        { type: 'openrouter:datetime' },
      ],
    },
  ],
  [
    'POST /responses',
    "the vendor's search tool",
    {
      input,
      tools: [{ type: 'openrouter:web_search', parameters: { engine: 'perplexity', max_results: 3 } }],
    },
  ],
  ['POST /responses', 'the search plugin', { input, plugins: [{ id: 'web' }] }],
  ['POST /responses', 'a function call', { input, tools: [tool], tool_choice: 'required' }],
  ['POST /responses', 'a text that is cut', { input, max_output_tokens: 3 }],
  ['POST /responses', 'structured output', { input, text: { format } }],
  ['POST /responses', 'an unknown model', { model: 'none', input }],
  ['POST /chat/completions', 'a text', { messages }],
  ['POST /chat/completions', 'reasoning', { messages, reasoning: { effort: 'high' }, logprobs: true }],
  [
    'POST /chat/completions',
    'a function call',
    {
      messages,
      tools: [{ type: 'function', function: { name: 'look_up', parameters } }],
      tool_choice: 'required',
    },
  ],
  ['POST /chat/completions', 'the search plugin', { messages, plugins: [{ id: 'web' }] }],
  ['POST /chat/completions', 'an unknown model', { model: 'none', messages }],
  ['POST /messages', 'a text', { messages, max_tokens: 100 }],
  [
    'POST /messages',
    'thinking',
    { messages, max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 1024 } },
  ],
  [
    'POST /messages',
    'a function call',
    {
      messages,
      max_tokens: 4000,
      tools: [{ name: 'look_up', input_schema: parameters }],
      tool_choice: { type: 'any' },
    },
  ],
  ['POST /messages', 'the search plugin', { messages, max_tokens: 4000, plugins: [{ id: 'web' }] }],
  ['POST /messages', 'an unknown model', { model: 'none', messages, max_tokens: 1 }],
]

describe.each([
  ['a reply', false],
  ['a stream', true],
])('%s', (_, stream) => {
  it.each(questions)("of %s with %s matches the vendor's schemas", async (line, _what, body) => {
    expect((await send(line, { model, ...body, stream })).violations).toEqual([])
  })
})

describe('an error', () => {
  const documented = questions
    .filter(([, what]) => what === 'a text')
    .flatMap(([line, , body]) => {
      const [, path = ''] = line.split(' ')
      const statuses = Object.keys(document.paths[path]?.['post']?.responses ?? {}).map(Number)
      return statuses.filter((status) => status >= 400).map((status) => [line, status, body] as const)
    })

  it.each(documented)("of %s with status %i matches the vendor's schemas", async (line, status, body) => {
    gateway.fail(status)
    expect(await send(line, { model, ...body })).toMatchObject({ status, violations: [] })
  })
})

describe('resources', () => {
  it.each([
    '/providers',
    '/embeddings/models',
    '/benchmarks',
    '/models',
    '/models/count',
    '/models/user',
    '/models/aurora/dawn-2/endpoints',
    '/model/aurora/dawn-2',
    '/key',
    '/keys',
    '/keys/none',
    '/credits',
    '/activity',
    '/workspaces',
    '/workspaces/production',
    '/workspaces/none',
    '/presets',
    '/presets/code-review',
    '/presets/code-review/versions',
    '/presets/code-review/versions/1',
    '/presets/none',
  ])("GET %s matches the vendor's schemas", async (path) => {
    expect((await send(`GET ${path}`)).violations).toEqual([])
  })

  it("match the vendor's schemas after they are written and read again", async () => {
    const ask = async (line: string, body?: object) => {
      const checked = await send(line, body)
      expect(checked.violations, line).toEqual([])
      expect(checked.status, line).toBeLessThan(300)
      return checked.body === '' ? {} : JSON.parse(checked.body)
    }
    await ask('POST /workspaces', { name: 'Tides', slug: 'tides' })
    await ask('PATCH /workspaces/tides', { description: 'High and low' })
    await ask('DELETE /workspaces/tides')
    for (const path of ['responses', 'chat/completions', 'messages'])
      await ask(`POST /presets/tides/${path}`, { model, messages, input, max_tokens: 5 })
    await ask('GET /presets/tides/versions/3')
    const { id } = await ask('POST /responses', { model, input })
    await ask(`GET /generation?id=${id}`)
    await ask('POST /embeddings', { model: 'aurora/embed-large', input })
    await ask('POST /rerank', { model, query: 'tides', documents: ['boats', 'tides'] })
  })
})
