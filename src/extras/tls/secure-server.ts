/** An HTTPS server whose connections can be reset like HTTP connections. */
import type { RequestListener } from 'node:http'
import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { readCertificate } from './certificate-files.ts'

/** Maximum time for a TLS handshake, in real milliseconds. */
// mutation: equivalent (any similar time will do)
const handshakeTimeout = 10_000

export interface CertificateSource {
  /** Folder in which the certificate is stored; undefined for a new certificate at every start. */
  readonly folder: string | undefined
  /** The server's host names, in addition to loopback. */
  readonly names: readonly string[]
}

export async function secureServer(
  settings: object,
  listener: RequestListener,
  source: CertificateSource,
): Promise<Server> {
  // Loaded only here, because loading `node:https` takes as long as all other startup work.
  const { createServer } = process.getBuiltinModule('node:https')
  const { key, cert } = await readCertificate(source)
  const server = createServer({ ...settings, key, cert, handshakeTimeout }, listener)
  /** TCP sockets by client address, which is the same before and after the TLS handshake. */
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
    // Node can reset only plain TCP sockets.
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
