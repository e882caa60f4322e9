/** Creates small recordings as data. */
import type { Recording } from '../../../src/extras/recordings/recording.ts'

export const utf8 = (text: string) => new TextEncoder().encode(text)
export const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

export const head = {
  recording: 1,
  operation: 'ask',
  dialect: 'neutral',
  key: '',
  redacted: [] as string[],
} as const

export type Part = string | { ms: number; text: string } | { ms: number; base64: string }

/** Returns a recording of a reply, whose chunks arrive at 10, 20, … ms. */
export function recordingOf(
  chunks: Part[],
  {
    end = 'fin',
    ...more
  }: Partial<Omit<Recording, 'chunks' | 'end'>> & { end?: string | object; type?: string } = {},
): Recording {
  const parts = chunks.map((part, index) =>
    typeof part === 'string' ? { ms: 10 * (index + 1), text: part } : part,
  )
  return {
    head,
    reply: { ms: 4, status: 200, headers: { 'content-type': more.type ?? 'text/plain' } },
    chunks: parts,
    end: typeof end === 'string' ? { end, ms: 100, bytes: 0 } : end,
    ...more,
  } as Recording
}

export const requestOf = (body: unknown, more: object = {}) =>
  ({ method: 'POST', path: '/ask', query: '', headers: {}, json: body, ...more }) as NonNullable<
    Recording['request']
  >

/** Formats a recording as the JSON lines of its file. */
export function formatRecording({ head, request, reply, chunks, end }: Recording): string {
  const lines = [head, request && { request }, reply && { reply }, ...chunks, end]
  return lines.flatMap((line) => (line ? `${JSON.stringify(line)}\n` : [])).join('')
}
