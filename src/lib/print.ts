/** Control characters other than tabs and line breaks, bidirectional formatting characters, and line separators. */
const acting = /(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/gu

/** Escapes characters that a terminal would interpret, such as `\u001b`. JSON remains equivalent. */
export function printable(text: string): string {
  return text.replace(acting, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function print(text: string): void {
  console.log(printable(text))
}

export function printError(text: string): void {
  console.error(printable(text))
}

export function printWarning(text: string): void {
  console.warn(printable(text))
}

/** Ignores a closed pipe (`| head -2`). Any other failure, such as a full disk, sets exit code 1. */
export function surviveOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code !== 'EPIPE') process.exitCode = 1
    })
}
