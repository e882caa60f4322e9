/** Fields that a text operation lacks, but another one has. */
import type { Violation } from '../http/errors.ts'
import { lookUp } from '../lib/json.ts'

const equivalents = [
  ['max_output_tokens', 'max_completion_tokens', 'max_tokens'],
  ['input', 'messages'],
  ['instructions', 'system'],
  ['text.format', 'response_format'],
  ['tools', 'functions'],
]

export function equivalentField(name: string, known: object): string | undefined {
  const rootOf = (field: string) => field.replace(/\..*/, '')
  const fields = equivalents.find((each) => each.some((field) => rootOf(field) === name))
  return fields?.find((field) => Object.hasOwn(known, rootOf(field)))
}

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
