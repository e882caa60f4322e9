/** Request rules: what a vendor would refuse in a valid request. The specification does not mention them. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { lookUp } from '../../lib/json.ts'
import type { RequestRules } from './rule.ts'

/** Loads the rules of an operation, by its id. */
export const rulesOf: Readonly<Record<string, () => Promise<RequestRules>>> = {
  createResponse: async () => (await import('./responses.ts')).rules,
  createChatCompletion: async () => (await import('./chat.ts')).rules,
  createMessage: async () => (await import('./messages.ts')).rules,
}

export const requestRules: ExtraDefinition = {
  name: 'request rules',
  async brokenRules(request) {
    const load = lookUp(rulesOf, request.operation)
    if (!load) return []
    const [rules, { brokenRules }] = await Promise.all([load(), import('./rule.ts')])
    return brokenRules(rules, request)
  },
}
