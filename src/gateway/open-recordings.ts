/**
 * The tapes that a gateway is made with, from a folder or as they are given.
 */
import type { GatewayOptions } from '../sandbox/options.ts'
import { Recordings } from '../tapes/recordings.ts'
import { Tape, tapeName } from '../tapes/tape.ts'
import { readTapeFolder } from '../tapes/tape-files.ts'

/** Undefined where there are none. Throws one clear line for a tape that cannot be read, or a setting that is missing. */
export function openRecordings(options: GatewayOptions): Recordings | undefined {
  const { recordings, onMiss, upstream, allowCi, volatileFields: volatile } = options
  if (recordings === undefined) return undefined
  if (onMiss === 'forward') {
    if (upstream === undefined) throw new TypeError('createGateway: onMiss: forward needs upstream')
    if (globalThis.process?.env?.['CI'] && !allowCi)
      throw new TypeError('createGateway: CI is set, so nothing is forwarded unless allowCi is set too')
  }
  const tapes = typeof recordings === 'string' ? readTapeFolder(recordings) : named(recordings.map(parsed))
  return new Recordings(tapes, { volatile })
}

function parsed(given: unknown, index: number): Tape {
  const result = Tape.safeParse(given)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new TypeError(`createGateway: recordings[${index}].${issue?.path.join('.')}: ${issue?.message}`)
}

/** Tapes by the names that their files would have. */
function named(tapes: readonly Tape[]): Map<string, Tape> {
  const byName = new Map<string, Tape>()
  for (const tape of tapes) {
    let number = 1
    while (byName.has(tapeName(tape.head, number))) number++
    byName.set(tapeName(tape.head, number), tape)
  }
  return byName
}
