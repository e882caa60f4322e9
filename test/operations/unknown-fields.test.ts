import { expect, it } from 'vitest'
import { describeAdapters } from '../describe-adapters.ts'

const request = { model: 'aurora/dawn-2', input: 'How do tides work?' }
const search = (parameters: object) => ({ tools: [{ type: 'gateway:web_search', parameters }] })

/** [path of the unknown field, fields, suggested name] */
const cases: [string, object, string | undefined][] = [
  ['plugins[0].allowed_domains', { plugins: [{ id: 'web', allowed_domains: ['a'] }] }, 'include_domains'],
  ['plugins[0].excluded_domains', { plugins: [{ id: 'web', excluded_domains: ['a'] }] }, 'exclude_domains'],
  ['tools[0].parameters.include_domains', search({ include_domains: ['a'] }), 'allowed_domains'],
  ['tools[0].parameters.exclude_domains', search({ exclude_domains: ['a'] }), 'excluded_domains'],
  ['tools[0].parameters.maxresults', search({ maxresults: 2 }), 'max_results'],
  ['tools[0].params', { tools: [{ type: 'gateway:web_search', params: {} }] }, 'parameters'],
  ['tools[0].descripton', { tools: [{ type: 'function', name: 'f', descripton: 'x' }] }, 'description'],
  ['x_search_filter.allowed_handles', { x_search_filter: { allowed_handles: ['a'] } }, 'allowed_x_handles'],
  ['input[0].colour', { input: [{ role: 'user', content: 'x', colour: 1 }] }, undefined],
  [
    'input[0].content[0].txt',
    { input: [{ role: 'user', content: [{ type: 'input_text', text: 'x', txt: 1 }] }] },
    'text',
  ],
  ['text.format.shema', { text: { format: { type: 'json_schema', shema: {} } } }, 'schema'],
  ['max_output_token', { max_output_token: 3 }, 'max_output_tokens'],
  ['max_tokens', { max_tokens: 3 }, 'max_output_tokens'],
  ['response_format', { response_format: {} }, 'text.format'],
  ['reasoning_effort', { reasoning_effort: 'low' }, 'reasoning.effort'],
]

describeAdapters('unknown fields in POST /responses', (entrance) => {
  const { call } = entrance
  it.each(cases)('are ignored with a warning: %s in %j', async (path, fields, suggestion) => {
    const { status } = await call('POST /responses', { body: { ...request, ...fields } })
    expect(status).toBe(200)
    const hint = suggestion === undefined ? '' : `; did you mean '${suggestion}'?`
    expect(entranceWarnings()).toContain(`body.${path} is unknown to createResponse and was ignored${hint}`)
  })

  it('are reported for a rejected request, too', async () => {
    const { status } = await call('POST /responses', { body: { model: 'aurora/dawn-2', imput: 'Hi' } })
    const warning = "body.imput is unknown to createResponse and was ignored; did you mean 'input'?"
    expect([status, entranceWarnings()]).toEqual([400, [warning]])
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
  it.each(cases)('are rejected: %s in %j', async (path, fields, suggestion) => {
    const { status, body } = await call('POST /responses', { body: { ...request, ...fields } })
    expect(status).toBe(400)
    const hint = suggestion === undefined ? '' : `; did you mean '${suggestion}'?`
    expect(body.error.metadata.violations).toEqual([
      { path: `body.${path}`, message: `Unknown field${hint}`, rule: 'unrecognized_keys' },
    ])
  })
})
