import { GatewayError } from '../http/errors.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { shown } from '../lib/schema-messages.ts'

/** Maximum number of rows to search for a suggestion. */
const maxCompared = 1000

/** Returns a 404 whose explanation starts with `what`, such as `no preset has the slug`, and suggests a similar row. */
export function unknownSlug(
  what: string,
  slug: string,
  rows: readonly { readonly slug: string }[],
): GatewayError {
  const slugs = rows.slice(0, maxCompared).map((row) => row.slug)
  const detail = `${what} ${shown(slug)}${slugs.length === 0 ? '' : didYouMean(slug, slugs)}`
  return new GatewayError(404, undefined, undefined, { detail })
}
