/**
 * Dialects: one vendor's form of the API, by the name of a bundled dialect or as an object of the type `Dialect`.
 */
import * as z from 'zod'
import type { Dialect, ExtraDefinition } from '../../gateway/extra.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { openrouter } from './openrouter.ts'

export interface DialectOptions {
  /** The names and extra fields of one vendor: a bundled dialect by name, or your own. Default: those of the specification. */
  dialect?: DialectName | Dialect
}

/** Names of the bundled dialects. */
export type DialectName = 'openrouter'

const bundled: Readonly<Record<DialectName, Dialect>> = { openrouter }

export const dialects: ExtraDefinition<DialectOptions> = {
  name: 'dialects',
  options: {
    dialect: () =>
      z.union([
        // An unknown name is refused when the gateway is created, with the nearest one.
        z.string() as z.ZodType<string, string> as z.ZodType<DialectName>,
        z.custom<Dialect>((value) => typeof value === 'object' && value !== null).superRefine(checkFunctions),
      ]),
  },
  flags: [
    {
      flags: '--dialect <name>',
      description: "vendor whose names and extra fields requests and replies use: 'openrouter'",
      group: 'Behaviour',
    },
  ],
  create: ({ dialect }) => (dialect === undefined ? undefined : { dialect: findDialect(dialect) }),
}

function findDialect(given: DialectName | Dialect): Dialect {
  if (typeof given === 'object') return given
  if (Object.hasOwn(bundled, given)) return bundled[given]
  const names = Object.keys(bundled)
  throw new TypeError(`createGateway: unknown dialect '${given}'${didYouMean(given, names)}`)
}

/** Refuses a function that is none, such as a table. */
function checkFunctions(dialect: object, { addIssue }: z.RefinementCtx): void {
  for (const name of ['request', 'reply', 'event', 'error'])
    if (!['undefined', 'function'].includes(typeof Reflect.get(dialect, name)))
      addIssue({ code: 'custom', path: [name], message: 'Must be a function' })
}
