/** Request rules: vendors' reasons to reject requests that the specification allows. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { fieldsOf, lookUp } from '../../lib/json.ts'
import type { Rules } from './rule.ts'

/** Loads an operation's rules by its id. */
export const rulesOf: Readonly<Record<string, () => Promise<Rules>>> = {
  createResponse: async () => (await import('./responses.ts')).rules,
  createChatCompletion: async () => (await import('./chat.ts')).rules,
  createMessage: async () => (await import('./messages.ts')).rules,
}

export const requestRules: ExtraDefinition = {
  name: 'request rules',
  async brokenRules({ record, body, conversation, isVendor }) {
    const rules = await lookUp(rulesOf, record.operation)?.()
    if (!rules) return []
    const { tables, options, storedResponses, memory } = record.state
    const model = await tables.models.find(record.model ?? '')
    const stored = options.storedResponses ? storedResponses : undefined
    const checked = rules.check(fieldsOf(body), { conversation, model, stored, memory, isVendor })
    const found = [...checked].flatMap((each) => each || [])
    return Object.keys(rules.sources).flatMap((rule) => {
      const breaches = found.filter((each) => each.rule === rule)
      // One more says how many others there are.
      const [next, ...more] = breaches.splice(20)
      return next ? [...breaches, { ...next, message: `and ${more.length + 1} more` }] : breaches
    })
  },
}
