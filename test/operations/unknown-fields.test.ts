import { expect, it } from 'vitest'
import { describeAdapters } from '../describe-adapters.ts'

const request = { model: 'aurora/dawn-2', input: 'How do tides work?' }
const search = (parameters: object) => ({ tools: [{ type: 'gateway:web_search', parameters }] })

/** [location, fields, path of the unknown field, suggested name] */
const cases: [string, object, string, string | undefined][] = [
  [
    'a plugin',
    { plugins: [{ id: 'web', allowed_domains: ['a'] }] },
    'plugins[0].allowed_domains',
    'include_domains',
  ],
  [
    'a plugin',
    { plugins: [{ id: 'web', excluded_domains: ['a'] }] },
    'plugins[0].excluded_domains',
    'exclude_domains',
  ],
  [
    'the search tool',
    search({ include_domains: ['a'] }),
    'tools[0].parameters.include_domains',
    'allowed_domains',
  ],
  [
    'the search tool',
    search({ exclude_domains: ['a'] }),
    'tools[0].parameters.exclude_domains',
    'excluded_domains',
  ],
  ['the search tool', search({ maxresults: 2 }), 'tools[0].parameters.maxresults', 'max_results'],
  ['a tool', { tools: [{ type: 'gateway:web_search', params: {} }] }, 'tools[0].params', 'parameters'],
  [
    'a function',
    { tools: [{ type: 'function', name: 'f', descripton: 'x' }] },
    'tools[0].descripton',
    'description',
  ],
  [
    'x_search_filter',
    { x_search_filter: { allowed_handles: ['a'] } },
    'x_search_filter.allowed_handles',
    'allowed_x_handles',
  ],
  ['a message', { input: [{ role: 'user', content: 'x', colour: 1 }] }, 'input[0].colour', undefined],
  [
    'a part',
    { input: [{ role: 'user', content: [{ type: 'input_text', text: 'x', txt: 1 }] }] },
    'input[0].content[0].txt',
    'text',
  ],
  ['the format', { text: { format: { type: 'json_schema', shema: {} } } }, 'text.format.shema', 'schema'],
  ['the body', { max_output_token: 3 }, 'max_output_token', 'max_output_tokens'],
  ['the body', { max_tokens: 3 }, 'max_tokens', 'max_output_tokens'],
  ['the body', { response_format: {} }, 'response_format', 'text.format'],
]

describeAdapters('unknown fields in POST /responses', (entrance) => {
  const { call } = entrance
  it.each(cases)('in %s are ignored with a warning: %j', async (_, fields, path, suggestion) => {
    const { status } = await call('POST /responses', { body: { ...request, ...fields } })
    expect(status).toBe(200)
    const hint = suggestion === undefined ? '' : `; did you mean '${suggestion}'?`
    expect(entranceWarnings()).toContain(`body.${path} is unknown to createResponse and was ignored${hint}`)
  })

  it("are reported with their name's first hundred characters", async () => {
    const name = `long${'_name'.repeat(40)}`
    await call('POST /responses', { body: { ...request, [name]: 1 } })
    expect(entranceWarnings()).toContain(
      `body[${JSON.stringify(`${name.slice(0, 100)}…`)}] is unknown to createResponse and was ignored`,
    )
  })

  it('are allowed in free-form objects such as metadata', async () => {
    const free = {
      metadata: { anything: { at: 'all' } },
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object', whatever: 1 } },
        { type: 'elsewhere', own: 1 },
        { type: 'gateway:web_search', parameters: { user_location: { planet: 'Mars' } } },
      ],
      text: { format: { type: 'json_schema', schema: { type: 'object', 'x-own': 1 } } },
      input: [
        { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'x' }] },
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: 'data:,', detail: 'low' },
            { type: 'input_text', text: 'x' },
          ],
        },
        {
          type: 'message',
          role: 'assistant',
          id: 'm',
          status: 'completed',
          content: [{ type: 'output_text', text: 'x', annotations: [{ own: 1 }] }],
        },
      ],
    }
    await call('POST /responses', { body: { ...request, ...free } })
    expect(entranceWarnings().filter((warning) => warning.includes('is unknown to'))).toEqual([])
  })

  const entranceWarnings = () => entrance.sandbox.journal.last('createResponse')?.warnings ?? []
})

describeAdapters('unknown fields in POST /responses with `strict: true`', { strict: true }, ({ call }) => {
  it.each(cases)('in %s are rejected: %j', async (_, fields, path, suggestion) => {
    const { status, body } = await call('POST /responses', { body: { ...request, ...fields } })
    expect(status).toBe(400)
    const hint = suggestion === undefined ? '' : `; did you mean '${suggestion}'?`
    expect(body.error.metadata.violations).toEqual([
      { path: `body.${path}`, message: `Unknown field${hint}`, rule: 'unrecognized_keys' },
    ])
  })
})
