/**
 * Options by name, checked without a schema: the remote client brings none.
 */
import { didYouMean } from '../lib/did-you-mean.ts'

/** Throws a `TypeError` for a name that there is none of. */
export function assertNames(given: object, names: readonly string[], caller: string): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${caller}: options.${unknown}: Unknown field${didYouMean(unknown, names)}`)
}
