/**
 * Dialects: one vendor's form of the API, by the name of a bundled dialect or as an object of the type `Dialect`.
 */
import * as z from 'zod'
import type { Dialect, ExtraDefinition } from '../../gateway/extra.ts'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { openrouter } from './openrouter.ts'

export interface DialectOptions {
  /** The names and extra fields of one vendor: a bundled dialect by name, or your own. Default: those of the specification. */
  dialect?: string | object
}

const bundled: readonly Dialect[] = [openrouter]

export const dialects: ExtraDefinition<DialectOptions> = {
  name: 'dialects',
  options: {
    dialect: () =>
      z.union([
        z.string(),
        z.custom<object>((value) => typeof value === 'object' && value !== null).superRefine(checkFunctions),
      ]),
  },
  flags: [{ flags: '--dialect <name>', description: 'names and extra fields of one vendor, by its name' }],
  create: ({ dialect }) => (dialect === undefined ? undefined : { dialect: findDialect(dialect) }),
}

function findDialect(given: string | object): Dialect {
  // Its functions were checked with the option.
  if (typeof given === 'object') return given as Dialect
  const found = bundled.find(({ name }) => name === given)
  if (found) return found
  const names = bundled.map(({ name }) => name)
  throw new TypeError(`createGateway: unknown dialect '${given}'${didYouMean(given, names)}`)
}

/** Refuses a function that is none, such as a table. */
function checkFunctions(dialect: object, { addIssue }: z.RefinementCtx): void {
  for (const name of ['request', 'reply', 'event', 'error'])
    if (!['undefined', 'function'].includes(typeof Reflect.get(dialect, name)))
      addIssue({ code: 'custom', path: [name], message: 'Must be a function' })
}
