/**
 * Finds secrets that are left in a finished recording: in its file, and in joined chunks and text deltas, where they may
 * be split.
 */
import { isSecretName } from '../../http/secrets.ts'
import { toLatin1, utf8AsLatin1 } from '../../lib/bytes.ts'
import { eventsIn, isEventStream, joinedDeltas } from './events.ts'
import { bodyOf, bytesOf, type Recording } from './recording.ts'
import { isPlaceholder, type SecretFinder } from './secrets.ts'

/**
 * Returns the kinds of secrets, without their values.
 *
 * @param file Content of the recording's file.
 */
export function leaksIn(file: Uint8Array, recording: Recording, finder: SecretFinder): string[] {
  const { request, reply } = recording
  const body = bodyOf(recording)
  const headers = [request, reply].flatMap((each) => Object.entries(each?.headers ?? {}))
  const named = headers.filter(([name, value]) => isSecretName(name) && !isPlaceholder(value))
  const texts = [
    toLatin1(file),
    ...(request ? [utf8AsLatin1(request.path + request.query), toLatin1(bytesOf(request))] : []),
    toLatin1(body),
    ...(isEventStream(recording)
      ? joinedDeltas(eventsIn(new TextDecoder().decode(body))).map(utf8AsLatin1)
      : []),
  ]
  const found = texts.flatMap((text) => finder.find(text))
  return [...new Set([...named.map(([name]) => `header ${name}`), ...found.map(({ kind }) => kind)])]
}
