/**
 * Whose call it is: the sandbox that the path names, or else the key, or else the default one.
 */
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { Address } from './address.ts'
import { type Bearer, unauthorized } from './authenticate.ts'

/** Where a call is journalled, whatever is wrong with it: in the sandbox that it means, or else in the default one. */
export function whoseJournal(sandboxes: Sandboxes, address: Address, bearer: Bearer): Sandbox {
  const id = address.sandboxId ?? bearer.sandboxId
  return (id !== undefined && sandboxes.peek(id)) || sandboxes.default
}

/** Throws 410 where the sandbox is gone or there is no default one, 421 where it lives elsewhere, 401 for a wrong key. */
export function assertSandbox(sandboxes: Sandboxes, address: Address, { key, sandboxId }: Bearer): void {
  if (address.sandboxId === undefined && sandboxId === undefined) sandboxes.assertDefault()
  else if (address.sandboxId !== undefined) sandboxes.find(address.sandboxId)
  else if (sandboxId !== undefined && sandboxes.find(sandboxId).apiKey !== key)
    throw unauthorized('Invalid API key')
}
