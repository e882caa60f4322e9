/**
 * A server for HTTPS whose connections can be reset, as those for HTTP can.
 */
import type { RequestListener } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { readCertificate } from './certificate-files.ts'

/** Maximum time for a TLS handshake, in real milliseconds. */
const handshakeTimeout = 10_000

export interface CertificateSource {
  /** Folder that keeps the certificate. Undefined for a new certificate. */
  readonly folder: string | undefined
  /** Host names of the server, in addition to loopback. */
  readonly names: readonly string[]
}

export async function secureServer(
  settings: object,
  listener: RequestListener,
  source: CertificateSource,
): Promise<Server> {
  // Loaded only here: it takes as long as the rest of the start.
  const { createServer } = process.getBuiltinModule('node:https')
  const { key, cert } = await readCertificate(source)
  const server = createServer({ ...settings, key, cert, handshakeTimeout }, listener)
  /** Connections by the client's address. A client is known by it before and after the handshake. */
  const raw = new Map<string, Socket>()
  const addressOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  server.prependListener('connection', (socket: Socket) => {
    const address = addressOf(socket)
    raw.set(address, socket)
    socket.once('close', () => raw.delete(address))
  })
  server.on('secureConnection', (socket: TLSSocket) => {
    const address = addressOf(socket)
    const connection = raw.get(address)
    raw.delete(address)
    // Node resets only sockets without TLS.
    socket.resetAndDestroy = () => {
      connection?.resetAndDestroy()
      return socket
    }
  })
  const close = server.close.bind(server)
  server.close = (done) => {
    for (const socket of raw.values()) socket.destroy()
    return close(done)
  }
  return server
}
