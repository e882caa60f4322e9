/**
 * Something that cannot become a tape: one clear line.
 */
export class ImportError extends Error {
  override name = 'ImportError'
}
