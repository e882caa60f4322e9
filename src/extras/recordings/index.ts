/** Declares the options and commands for recordings, and replays them. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { isRecording, isRecordingFile } from './recording.ts'
import { openRecordings, type RecordingOptions, readRecordingFile, recordingOptions } from './recordings.ts'
import { recordingScenario } from './replay.ts'

export { parseRecording, type Recording } from './recording.ts'

export const recordings: ExtraDefinition<RecordingOptions> = {
  name: 'recordings',
  options: recordingOptions,
  async commands(program, extras) {
    const { addRecordingCommands } = await import('./commands.ts')
    addRecordingCommands(program, extras)
  },
  readScenario(source, operations) {
    const isFile = typeof source === 'string' && isRecordingFile(source)
    const recording = isFile ? readRecordingFile(source) : source
    return isRecording(recording) ? recordingScenario(recording, operations) : undefined
  },
  create: openRecordings,
}
