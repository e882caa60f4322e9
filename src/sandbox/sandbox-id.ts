/** Sandbox ids: generated ones are `s1`, `s2` and so on. Clients can also choose custom ids. */
import { invalidRequest } from '../http/errors.ts'
import { shown } from '../lib/schema-messages.ts'

/** Lowercase letters and digits with single hyphens in between, like slugs. */
const customForm = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/
/** Reserved for generated ids. */
const generatedForm = /^(default|s[0-9]+)$/

/** Throws 400 for an invalid or reserved custom id. */
export function assertCustomId(id: string): void {
  const message = !customForm.test(id)
    ? `Must be 1 to 64 lowercase letters and digits, with single hyphens in between, got ${shown(id)}`
    : generatedForm.test(id)
      ? `'${id}' is reserved for generated ids: choose another`
      : undefined
  if (message) throw invalidRequest([{ path: 'body.id', message, rule: 'sandbox_name' }])
}
