/**
 * A mistake of the person who set the double up: one clear line, and exit code 2.
 */
export class UsageError extends Error {
  override name = 'UsageError'
}
