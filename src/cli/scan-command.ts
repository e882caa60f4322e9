/**
 * `scan`: secrets that are left in files. Exit code 1 where there are, 2 where a file cannot be read.
 */
import { scanFolder } from '../contract/scan-folder.ts'
import { type RedactionFlags, toRedactor } from './redaction-file.ts'
import { UsageError } from './usage-error.ts'

export interface ScanFlags extends Pick<RedactionFlags, 'redact'> {
  quiet?: true
  json?: true
}

export async function scan(path: string, { quiet, json, ...rules }: ScanFlags): Promise<void> {
  const { finder } = toRedactor(rules)
  const result = await scanFolder(path, finder).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(error.code === 'ENOENT' ? `${path}: there is no such file or folder` : error.message)
  })
  const { files, leaks, unread } = result
  process.exitCode = leaks.length > 0 ? 1 : unread.length > 0 ? 2 : 0
  if (json) return console.log(JSON.stringify(result, null, 2))
  for (const { file, line, kind } of leaks) console.log(`${file}:${line}: ${kind}`)
  for (const { file, reason } of unread) console.error(`${file}: cannot be read: ${reason}`)
  if (quiet) return
  const places = leaks.length === 1 ? '1 secret is' : `${leaks.length} secrets are`
  console.log(
    `${files} ${files === 1 ? 'file' : 'files'}: ${leaks.length === 0 ? 'no secret is left' : `${places} left`}`,
  )
}
