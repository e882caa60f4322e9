/** A configuration mistake. Commands print its message as one line and exit with code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
