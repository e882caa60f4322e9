/** Fields that belong to another text operation. */
import type { Violation } from '../http/errors.ts'
import { lookUp } from '../lib/json.ts'

const operationOf: Readonly<Record<string, string>> = {
  function: 'POST /chat/completions',
  input: 'POST /responses',
  messages: 'POST /chat/completions',
  parameters: 'POST /responses',
}

/** Extends a missing field's violation if an unknown field next to it belongs to another operation. */
export function nameOtherOperations(
  violations: readonly Violation[],
  unknown: readonly { path: string }[],
): void {
  const parts = unknown.map(({ path }) => /^(.*\.)(\w+)$/.exec(path) ?? [])
  const names = new Map(
    parts.flatMap(([, parent, name = '']) => (lookUp(operationOf, name) ? [[parent, name]] : [])),
  )
  for (const violation of violations) {
    const name = violation.message === 'Is required' && names.get(violation.path.replace(/[^.]*$/, ''))
    if (name) violation.message += `; '${name}' is for ${operationOf[name]}`
  }
}
