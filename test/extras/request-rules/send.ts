/** Helpers to send requests that could break a rule. */
import { createGateway, type Gateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

/** Returns a gateway whose models have few parameters, and `acme/plain` a window of 1,000 tokens. */
export async function gatewayWithModels(options: object = {}): Promise<Gateway> {
  const gateway = createGateway(options)
  await gateway.db.models.create({
    id: 'acme/plain',
    context_length: 1000,
    top_provider: { context_length: 1000, is_moderated: false, max_completion_tokens: 500 },
    supported_parameters: ['max_tokens'],
  })
  await gateway.db.models.create({
    id: 'acme/deep',
    supported_parameters: ['max_completion_tokens', 'tools', 'reasoning', 'reasoning_content'],
  })
  return gateway
}

export async function send(gateway: Gateway, line: string, fields: object) {
  const { status, headers, body } = await call(gateway, line, { body: { model: 'aurora/dawn-2', ...fields } })
  const entry = gateway.journal.entries().at(-1)
  return { status, headers, json: body, broken: entry?.brokenRules, warnings: entry?.warnings }
}
