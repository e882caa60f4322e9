/**
 * The head of a reply on a socket, where a fault wants it slow or cut.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { CallRecord } from '../journal/call-record.ts'

/** In how many pieces a slow head comes. */
const pieces = 20

/** Sends the head in pieces, or only its beginning. Returns whether a body may follow. */
export async function sendHead(
  record: CallRecord,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<boolean> {
  const { headMs = 0, headIsCut = false } = record.reply.transport ?? {}
  const { socket } = response
  if (!socket || (headMs === 0 && !headIsCut)) return true
  const head = takeHead(response, socket)
  if (headIsCut) {
    const statusLine = head.indexOf('\r\n') + 2
    socket.end(head.subarray(0, statusLine + ((head.length - statusLine) >> 1)))
    record.settled('cut')
    return false
  }
  const size = Math.ceil(head.length / pieces)
  for (let from = 0; from < head.length && !signal.aborted; from += size) {
    await record.state.clock.wait((headMs * size) / head.length, signal)
    socket.write(head.subarray(from, from + size))
  }
  return true
}

/** The bytes of the head. The response takes them for sent. */
function takeHead(response: ServerResponse, socket: Socket): Buffer {
  const taken: Buffer[] = []
  socket.write = ((chunk: string | Uint8Array) => {
    taken.push(Buffer.from(chunk as string, 'latin1'))
    return true
  }) as Socket['write']
  try {
    response.flushHeaders()
  } finally {
    // The method of the class again.
    Reflect.deleteProperty(socket, 'write')
  }
  return Buffer.concat(taken)
}
