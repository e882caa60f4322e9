/** Thrown for incorrect usage. Commands print the message as one line and exit with code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
