/**
 * Dialects: vendors' variants of the API. The `dialect` option names a bundled one, or is a custom `Dialect` object.
 */
import * as z from 'zod'
import type { Dialect, ExtraDefinition } from '../../gateway/extra.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { openrouter } from './openrouter.ts'

export interface DialectOptions {
  /**
   * Dialect that adds a vendor's names and fields: a bundled dialect's name, or a custom dialect. Default:
   * the specification's names and fields.
   */
  dialect?: DialectName | Dialect
}

export type DialectName = 'openrouter'

export const bundledDialects: Readonly<Record<DialectName, Dialect>> = { openrouter }

export const dialects: ExtraDefinition<DialectOptions> = {
  name: 'dialects',
  options: {
    dialect: () =>
      z.union([
        // Unknown names are rejected when the gateway is created, with a suggestion.
        z.string() as z.ZodType<string, string> as z.ZodType<DialectName>,
        z.custom<Dialect>((value) => typeof value === 'object' && value !== null).superRefine(checkMembers),
      ]),
  },
  flags: [
    {
      flags: '--dialect <name>',
      description: "use a vendor's names and extra fields in requests and replies: 'openrouter'",
      group: 'Behaviour',
      ofDocument: "describe this vendor's names and fields",
    },
  ],
  create({ dialect: option }) {
    if (option === undefined) return undefined
    const dialect = findDialect(option)
    const { describe } = dialect
    return { dialect, ...(describe && { describe: describe.bind(dialect) }) }
  },
}

function findDialect(dialect: DialectName | Dialect): Dialect {
  if (typeof dialect === 'object') return dialect
  if (Object.hasOwn(bundledDialects, dialect)) return bundledDialects[dialect]
  const names = Object.keys(bundledDialects)
  throw new TypeError(`createGateway: options.dialect '${dialect}' is unknown${didYouMean(dialect, names)}`)
}

const functions = ['request', 'body', 'models', 'warning', 'reply', 'event', 'error', 'describe']
const fields = ['name', 'extensions', 'comment', ...functions]

/**
 * Rejects a custom dialect that has no name, has unknown members, or has members that should be functions but
 * are not.
 */
function checkMembers(dialect: object, { addIssue }: z.RefinementCtx): void {
  const { name: vendor } = dialect as Partial<Dialect>
  if (typeof vendor !== 'string')
    addIssue({ code: 'custom', path: ['name'], message: "Is required: a vendor's name" })
  for (const name of Object.keys(dialect))
    if (!fields.includes(name))
      addIssue({ code: 'custom', path: [name], message: `Is unknown${didYouMean(name, fields)}` })
  for (const name of functions)
    if (!['undefined', 'function'].includes(typeof Reflect.get(dialect, name)))
      addIssue({ code: 'custom', path: [name], message: 'Must be a function' })
}
