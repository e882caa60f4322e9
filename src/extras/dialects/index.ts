/**
 * The dialects that come with the double.
 */
import { didYouMean } from '../../lib/did-you-mean.ts'
import type { Dialect } from './dialect.ts'
import { openrouter } from './openrouter.ts'

export const dialects: readonly Dialect[] = [openrouter]

/** The dialect of this name, or a person's own as it is. Throws one clear line. */
export function findDialect(given: string | object): Dialect {
  // A dialect of a person's own is data that a compiler has checked.
  if (typeof given === 'object') return given as Dialect
  const found = dialects.find(({ name }) => name === given)
  if (found) return found
  const names = dialects.map(({ name }) => name)
  throw new TypeError(`createGateway: unknown dialect '${given}'${didYouMean(given, names)}`)
}
