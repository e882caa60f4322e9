/**
 * `profile`: the latency profile of a folder of tapes, as JSON.
 */
import { latencyProfile } from '../tapes/latency-profile.ts'
import { readTapeFolder } from '../tapes/tape-files.ts'
import { UsageError } from './usage-error.ts'

export function profile(folder: string): void {
  const made = latencyProfile(readTapeFolder(folder).values())
  if (Object.keys(made.models).length === 0)
    throw new UsageError(`${folder}: no tape in it has a reply that ended well`)
  console.log(JSON.stringify(made, null, 2))
}
