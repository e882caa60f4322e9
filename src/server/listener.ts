/** Node's HTTP or HTTPS server, with limits on what clients may send before a request is handled. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { readRegularFile } from '../lib/data-file.ts'
import { refuseSocket, refuseTunnel } from './send.ts'
import type { ServerSettings } from './server-options.ts'

/** Maximum time for receiving request headers, and for a TLS handshake. */
const maxHeadersTimeoutMs = 10_000

const settings = {
  /** Maximum header size in bytes. Larger headers get a 431. */
  maxHeaderSize: 16 * 1024,
  connectionsCheckingInterval: 500,
  // The guard, which uses the error envelope, rejects requests without a `Host`.
  requireHostHeader: false,
}

/** @param onConnection Called for each connection, after the TLS handshake if there is one. */
export function createListener(
  { tlsCert, tlsKey, requestTimeoutMs }: ServerSettings,
  onRequest: RequestListener,
  onConnection: (socket: Socket) => void,
): Server {
  const isSecure = tlsCert !== undefined || tlsKey !== undefined
  const server = isSecure
    ? createSecureServer(readCertificate(tlsCert, tlsKey), onRequest)
    : createServer(settings, onRequest)
  server.on('checkExpectation', onRequest)
  server.on('checkContinue', onRequest)
  server.on('connect', refuseTunnel)
  server.on('clientError', refuseSocket)
  server.on(isSecure ? 'secureConnection' : 'connection', onConnection)
  server.headersTimeout = Math.min(maxHeadersTimeoutMs, requestTimeoutMs)
  // The gateway enforces the timeout for bodies, so that slow requests get a reply and a journal entry.
  server.requestTimeout = 0
  return server
}

/** Throws a `TypeError` if one of the files is missing or invalid. */
function readCertificate(tlsCert: string | undefined, tlsKey: string | undefined) {
  if (tlsCert === undefined || tlsKey === undefined)
    throw new TypeError(
      'startServer: HTTPS needs a certificate and its key: set options.tlsCert and options.tlsKey',
    )
  try {
    const certificate = { cert: readRegularFile(tlsCert), key: readRegularFile(tlsKey) }
    process.getBuiltinModule('node:tls').createSecureContext(certificate)
    return certificate
  } catch (error) {
    const { message } = error as Error
    throw new TypeError(`startServer: options.tlsCert, options.tlsKey: ${message}`, { cause: error })
  }
}

/** Creates an HTTPS server whose connections can be reset like HTTP connections. */
function createSecureServer(certificate: object, listener: RequestListener): Server {
  // Loaded only here, because loading `node:https` takes as long as all other startup work.
  const https = process.getBuiltinModule('node:https')
  const options = { ...settings, ...certificate, handshakeTimeout: maxHeadersTimeoutMs }
  const server = https.createServer(options, listener)
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
    // Unfinished handshakes would keep the server open.
    for (const socket of raw.values()) socket.destroy()
    return close(done)
  }
  return server
}
