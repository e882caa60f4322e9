/**
 * Recordings, as the rest of Understudy uses them. Commands are in `commands.ts`, which only the command line loads.
 */
import type { KnownOperation } from '../../scenarios/check-scenario.ts'
import type { ScenarioInput } from '../../scenarios/scenario.ts'
import type { exportEntry as ExportEntry } from './export.ts'
import { isRecording, isRecordingFile } from './recording.ts'
import { readRecordingFile } from './recordings.ts'
import { recordingScenario } from './replay.ts'

export { parseRecording, type Recording } from './recording.ts'
export { openRecordings, type Recordings } from './recordings.ts'

/**
 * A recording as a scenario; undefined for any other value.
 *
 * @param given A parsed recording, or the path of one. Throws for a path that cannot be read.
 */
export function toRecordedScenario(
  given: unknown,
  operations: readonly KnownOperation[],
): ScenarioInput | undefined {
  const isFile = typeof given === 'string' && isRecordingFile(given)
  const recording = isFile ? readRecordingFile(given) : given
  return isRecording(recording) ? recordingScenario(recording, operations) : undefined
}

/** A journal entry as the text of a recording, a rule or a fixture. Throws for an entry that is incomplete. */
export async function exportEntry(...args: Parameters<typeof ExportEntry>): Promise<string> {
  const module = await import('./export.ts')
  return module.exportEntry(...args)
}
