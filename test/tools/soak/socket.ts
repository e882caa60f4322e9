/**
 * Sends requests as bytes on a socket: complete, truncated, or with one byte changed.
 */
import { connect } from 'node:net'
import { random } from '../../../src/lib/seed.ts'
import type { AnyRequest } from './any-request.ts'

/** Returns the problem with the reply, or undefined. A client that disconnects early may get no reply. */
export function trySocket(port: number, request: AnyRequest, seed: number): Promise<string | undefined> {
  const draw = random('socket', seed)
  const bytes = toBytes(request)
  const kind = Math.floor(draw() * 4)
  if (kind === 1) bytes[Math.floor(draw() * bytes.length)] = Math.floor(draw() * 256)
  const sent = kind === 2 ? bytes.subarray(0, Math.floor(draw() * bytes.length)) : bytes
  const leavesEarly = kind === 2 || kind === 3
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    const end = () => {
      socket.destroy()
      const text = Buffer.concat(chunks).toString('latin1')
      if (text === '') resolve(leavesEarly ? undefined : 'no answer')
      else if (!/^HTTP\/1\.1 \d{3} /.test(text)) resolve(`no HTTP: ${text.slice(0, 80)}`)
      else if (/^HTTP\/1\.1 5/.test(text)) resolve(`an unexpected 5xx: ${text.slice(0, 400)}`)
      else resolve(undefined)
    }
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      // The corrupted request may have asked to keep the connection open.
      if (kind === 1) setTimeout(end, 20)
    })
    socket.on('close', end)
    socket.on('error', () => {})
    socket.on('connect', () => {
      const middle = Math.floor(draw() * sent.length)
      socket.write(sent.subarray(0, middle))
      socket.write(sent.subarray(middle))
      if (kind === 2) socket.end()
      if (kind === 3) setImmediate(() => socket.destroy())
    })
  })
}

function toBytes({ method, path, headers, body = '' }: AnyRequest): Uint8Array {
  const content = Buffer.from(body)
  const all = { host: 'localhost', connection: 'close', ...headers, 'content-length': String(content.length) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')), content])
}
