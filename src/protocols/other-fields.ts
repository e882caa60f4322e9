/**
 * Fields of text requests that an operation does not have: those that would change the meaning of a reply, and those of
 * another operation.
 */
import type { Violation } from '../http/errors.ts'

const changing = ['body.background', 'body.conversation']

/** Returns the problem of an unknown field that would change the meaning of a reply; undefined if it would not. */
export function notSimulated(path: string, value: unknown): string | undefined {
  const isNeutral = value == null || value === false
  return isNeutral || !changing.includes(path) ? undefined : 'Is not simulated: only a rule can reply to it'
}

/** Operation to which a field belongs. */
const operationOf: Readonly<Record<string, string>> = {
  function: 'POST /chat/completions',
  input: 'POST /responses',
  messages: 'POST /chat/completions',
  parameters: 'POST /responses',
}

/** Adds to the violation of a missing field that an unknown one next to it belongs to another operation. */
export function nameOtherOperations(
  violations: readonly Violation[],
  unknown: readonly { path: string }[],
): void {
  const parts = unknown.map(({ path }) => /^(.*\.)(\w+)$/.exec(path) ?? [])
  const names = new Map(parts.flatMap(([, parent, name = '']) => (operationOf[name] ? [[parent, name]] : [])))
  for (const violation of violations) {
    const name = violation.message === 'Is required' && names.get(violation.path.replace(/[^.]*$/, ''))
    if (name) violation.message += `; '${name}' is for ${operationOf[name]}`
  }
}
