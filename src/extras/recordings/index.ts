/** Declares the options, flags, commands and exports for recordings, and replays them. */
import * as z from 'zod'
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { UsageError } from '../../lib/usage-error.ts'
import type { RecordingInput } from '../../sandbox/options-input.ts'
import { isRecording, isRecordingFile } from './recording.ts'
import { openRecordings, type RecordingOptions, readRecordingFile } from './recordings.ts'
import { recordingScenario } from './replay.ts'

export { parseRecording, type Recording } from './recording.ts'

export const recordings: ExtraDefinition<RecordingOptions> = {
  name: 'recordings',
  options: {
    recordings: () => z.union([z.string().min(1), z.array(z.custom<RecordingInput>())]),
    replay: () =>
      z.strictObject({
        onUnmatchedRecording: z.enum(['error', 'simulate', 'passthrough']).optional(),
        ignoreFields: z.array(z.string().min(1)).optional(),
        upstream: z
          .url({ protocol: /^https?$/ })
          .refine((text) => {
            const url = URL.parse(text)
            return !url?.username && !url?.password
          }, "Must not contain credentials: requests are forwarded with the client's key")
          .optional(),
      }),
  },
  flags: [
    {
      flags: '--recordings <folder>',
      description: 'folder of recordings to replay if no scenario applies',
      group: 'Recordings',
    },
    {
      flags: '--on-unmatched-recording <what>',
      description:
        'if no recording matches: respond with a 404, simulate, or pass through to --upstream (default: error)',
      group: 'Recordings',
      choices: ['error', 'simulate', 'passthrough'],
    },
    {
      flags: '--upstream <url>',
      description: 'base URL of the real gateway, for --on-unmatched-recording passthrough',
      group: 'Recordings',
    },
  ],
  readFlags({ recordings, onUnmatchedRecording, upstream, config }, options) {
    if (onUnmatchedRecording !== undefined && recordings === undefined && config === undefined)
      throw new UsageError('--on-unmatched-recording requires recordings: set a folder with --recordings')
    if (onUnmatchedRecording === 'passthrough' && upstream === undefined)
      throw new UsageError(
        '--on-unmatched-recording passthrough requires --upstream, the base URL of the real gateway',
      )
    if (onUnmatchedRecording === 'passthrough' && process.env['CI'])
      throw new UsageError('passthrough is disabled because CI is set: unset CI to forward requests')
    return {
      recordings: recordings ?? options.recordings,
      replay: {
        ...options.replay,
        onUnmatchedRecording: onUnmatchedRecording ?? options.replay?.onUnmatchedRecording,
        upstream: upstream ?? options.replay?.upstream,
      },
    }
  },
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
