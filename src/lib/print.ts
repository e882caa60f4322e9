/**
 * Everything that we print, to the terminal of a command or of a test runner.
 */

/** Control characters but tabs and line breaks, marks that change the direction of text, and line separators. */
const acting = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu

/** The text with an escape such as `\u001b` for each character that acts on a terminal. JSON keeps its meaning. */
export function printable(text: string): string {
  return text.replace(acting, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/**
 * Prints lines on standard output.
 *
 * @param style Adds colours, after control characters are escaped. Default: none.
 */
export function print(text: string, style: (text: string) => string = String): void {
  console.log(style(printable(text)))
}

/** Prints lines on standard error. */
export function printError(text: string): void {
  console.error(printable(text))
}

/** Prints a warning: lines on standard error. */
export function printWarning(text: string): void {
  console.warn(printable(text))
}

/**
 * Keeps the process alive when its output cannot be written: a closed pipe (`| head -2`) is no error, and any other
 * reason, such as a full disk, sets exit code 1. A server keeps serving, and any other command finishes its work.
 */
export function surviveOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code !== 'EPIPE') process.exitCode = 1
    })
}
