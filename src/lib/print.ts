/**
 * Standard output and error of a command.
 */

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
