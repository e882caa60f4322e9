/**
 * `--redact rules.yaml`: what else is secret in somebody's project.
 */
import * as z from 'zod'
import { environmentSecrets } from '../contract/known-secrets.ts'
import { FileError, readDataFile } from '../lib/data-file.ts'
import { Redactor } from '../tapes/redactor.ts'
import { volatileFields } from '../tapes/request-key.ts'

const names = z.array(z.string().min(1)).default([])

const RedactionRules = z.strictObject({
  headers: names.describe('Headers whose value is kept, beside the usual ones.'),
  fields: names.describe('Names of JSON fields and parameters whose value is secret.'),
  patterns: z
    .array(z.strictObject({ name: z.string().min(1), matches: z.string().min(1).max(500) }))
    .default([])
    .describe('Regular expressions that find a secret.'),
  values: names.describe('Values that must not appear.'),
  volatile: names.describe('Paths of a body that do not count when requests are compared.'),
})

export interface RedactionFlags {
  redact?: string
  redactText?: true
  volatile?: string[]
}

/** What takes secrets out: the environment's, those of known form, and those of the file. */
export function toRedactor({ redact, redactText, volatile = [] }: RedactionFlags, key?: string): Redactor {
  const rules = redact === undefined ? RedactionRules.parse({}) : readRules(redact)
  return new Redactor({
    headers: rules.headers,
    fields: rules.fields,
    patterns: rules.patterns.map(({ name, matches }) => ({
      kind: name,
      expression: expressionOf(matches, redact ?? ''),
    })),
    values: [
      ...(key === undefined ? [] : [{ kind: 'the key in use', value: key }]),
      ...environmentSecrets(),
      ...rules.values.map((value) => ({ kind: 'a value of the rules', value })),
    ],
    volatile: [...volatileFields, ...rules.volatile, ...volatile],
    text: redactText ?? false,
  })
}

function readRules(file: string): z.output<typeof RedactionRules> {
  const { value, locate } = readDataFile(file)
  const result = RedactionRules.safeParse(value)
  if (result.success) return result.data
  throw new FileError(result.error.issues.map(({ path, message }) => ({ file, message, ...locate(path) })))
}

function expressionOf(matches: string, file: string): RegExp {
  try {
    return new RegExp(matches, 'g')
  } catch (error) {
    throw new FileError([{ file, message: (error as Error).message }])
  }
}
