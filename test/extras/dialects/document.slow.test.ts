/**
 * Tests that the OpenAPI document describes the OpenRouter dialect's replies as sent: a validator accepts the
 * gateway's replies, and rejects them without the dialect's fields.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import type { GatewayCore } from '../../../src/gateway/gateway.ts'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

const gateway = createGateway({ dialect: 'openrouter', timeScale: 0 })
// The gateway's public type hides the operations and the dialect.
const document = JSON.parse(JSON.stringify(apiDocument(gateway as unknown as GatewayCore)))
const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))
ajv.addSchema(document, 'document')

/** Returns the validation errors of a reply or an event. */
function errorsOf(line: string, status: string, value: unknown, place = 'application~1json/schema') {
  const [method = '', path = ''] = line.toLowerCase().split(' ')
  const pointer = encodeURI(`/paths/${path.replaceAll('/', '~1')}/${method}/responses/${status}`)
  const response = document.paths[path][method].responses[status]
  const target = response.$ref?.slice(1) ?? pointer
  const validate = ajv.compile({ $ref: `document#${target}/content/${place}` })
  validate(value)
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const model = 'aurora/dawn-2'
const messages = [{ role: 'user', content: 'How do tides work?' }]
const samples: [template: string, path?: string, body?: object][] = [
  ['GET /providers'],
  ['GET /embeddings/models'],
  ['GET /benchmarks'],
  ['GET /presets/{slug}', '/presets/code-review'],
  ['PATCH /workspaces/{id}', '/workspaces/production', { name: 'Main' }],
  ['GET /models'],
  ['GET /models/count'],
  ['GET /models/{author}/{slug}/endpoints', '/models/aurora/dawn-2/endpoints'],
  ['GET /key'],
  ['GET /credits'],
  ['POST /responses', undefined, { model, input: 'How do tides work?', reasoning: { effort: 'low' } }],
  ['POST /chat/completions', undefined, { model, messages, reasoning: { effort: 'low' } }],
  ['POST /messages', undefined, { model, messages, max_tokens: 500 }],
  ['POST /embeddings', undefined, { model: 'aurora/embed-large', input: 'Hello' }],
]

const fault = { name: 'status', status: 429, metadata: {}, gateway_metadata: {}, user_id: 'a' } as const

describe.each(samples)('%s', (line, path, body) => {
  const [method, template] = line.split(' ')
  const sent = `${method} ${path ?? template}`

  it.each(['disabled', 'enabled'])('sends replies as described, with metadata %s', async (metadata) => {
    const reply = await call(gateway, sent, { body, headers: { 'x-openrouter-metadata': metadata } })
    expect([reply.status, errorsOf(line, '200', reply.body)]).toEqual([200, []])
  })

  it('sends errors as described', async () => {
    using _ = gateway.use({ on: '*', fault })
    const reply = await call(gateway, sent, { body })
    expect([reply.status, errorsOf(line, '429', reply.body)]).toEqual([429, []])
  })
})

it('the document describes every event of a response, and requires the costs', async () => {
  const body = { model, input: 'How do tides work?', stream: true }
  const { text } = await call(gateway, 'POST /responses', { body })
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  const errorsOfEvent = (event: unknown) =>
    errorsOf('POST /responses', '200', event, 'text~1event-stream/x-event-schema')
  expect(events.flatMap(errorsOfEvent)).toEqual([])
  const last = events.at(-1)
  delete last.response.usage.cost
  expect(errorsOfEvent(last)).toContain("/response/usage must have required property 'cost'")
})
