/** Sends raw HTTP over a socket, for requests that no client would send. */
import { connect, type Socket } from 'node:net'

export interface Raw {
  readonly socket: Socket
  /** Everything received so far. */
  readonly received: string
  /** Resolves with everything received when the server closes the connection. */
  closed(): Promise<string>
  /** Waits until this text is received. */
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

/** Formats a request with its headers and body. */
export function request(line: string, headers: Record<string, string>, body = ''): string {
  const all = { ...headers, ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${line} HTTP/1.1`, ...lines, '', body].join('\r\n')
}
