/**
 * HTTP by hand, for what no client would send: bytes go out as they are, and come back as they are.
 */
import { connect, type Socket } from 'node:net'

export interface Raw {
  readonly socket: Socket
  /** All that came so far. */
  readonly received: string
  /** Everything that came, when the server has closed the connection. */
  closed(): Promise<string>
  /** Waits until this has come. */
  until(text: string): Promise<string>
}

export function raw(port: number, ...bytes: (string | Uint8Array)[]): Raw {
  let received = ''
  const waiting = new Set<() => void>()
  const socket = connect(port, '127.0.0.1', () => {
    for (const chunk of bytes) socket.write(chunk)
  })
  const notice = () => {
    for (const check of [...waiting]) check()
  }
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => {
    received += text
    notice()
  })
  socket.on('close', notice)
  socket.on('error', notice)

  const when = (isIt: () => boolean) =>
    new Promise<string>((resolve) => {
      const check = () => {
        if (!isIt()) return
        waiting.delete(check)
        resolve(received)
      }
      waiting.add(check)
      check()
    })
  return {
    socket,
    get received() {
      return received
    },
    closed: () => when(() => socket.destroyed),
    until: (text) => when(() => received.includes(text)),
  }
}

/** A request as text. */
export function request(line: string, headers: Record<string, string>, body = ''): string {
  const all = { ...headers, ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n')
}
