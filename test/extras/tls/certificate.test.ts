/** Tests the generated certificate and its files, and HTTPS servers. The slow tests in this folder use real clients. */
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { request, type Server } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readCertificate } from '../../../src/extras/tls/certificate-files.ts'
import { secureServer } from '../../../src/extras/tls/secure-server.ts'
import { createGateway } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'

// Two key pairs are enough, and each takes a quarter of a second.
vi.mock(import('node:crypto'), async (importOriginal) => {
  const crypto = await importOriginal()
  const pairs: object[] = []
  let used = 0
  const reused = async (type: 'rsa', options: { modulusLength: number }) => {
    const place = used++ % 2
    pairs[place] ??= crypto.generateKeyPairSync(type, options)
    return pairs[place]
  }
  const generateKeyPair = Object.assign(() => {}, { [Symbol.for('nodejs.util.promisify.custom')]: reused })
  return { ...crypto, generateKeyPair: generateKeyPair as unknown as typeof crypto.generateKeyPair }
})

const dayMs = 24 * 60 * 60 * 1000

/** A self-signed certificate of another authority, valid until 2126. */
const otherCertificate = `-----BEGIN CERTIFICATE-----
MIIBdTCCARugAwIBAgIUJivNQwVBAif2upfVmFjysy7jSYowCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEbWluZTAgFw0yNjExMjYxNzUwMDBaGA8yMTI2MTEwMjE3NTAw
MFowDzENMAsGA1UEAwwEbWluZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABIYx
+7GLHO7Gbm7noahWtUNWiAlWsMdfonxf32VQsG9Jnah3jYQQBnpUUdcY7GUXAYsq
8QBExEBApUM8Mmt4VYajUzBRMB0GA1UdDgQWBBT5Kydp6KJnsQahrg2alB0xsRtP
2TAfBgNVHSMEGDAWgBT5Kydp6KJnsQahrg2alB0xsRtP2TAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0gAMEUCIQDplNzyKK1rpdONww0f9znMoagkKzBH4F5s
ibsoOVkVUQIgaY/zIQGa4/e2OLhBFM81qyU9nJOP/nsdmZm2bz4bwbU=
-----END CERTIFICATE-----
`

let parent: string
let folder: string
let first: Awaited<ReturnType<typeof readCertificate>>
beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), 'understudy-certificate-'))
  folder = join(parent, 'created', 'if-necessary')
  first = await readCertificate({ folder, names: ['gateway.test', '0.0.0.0', '10.0.0.7'] })
})
afterAll(() => rmSync(parent, { recursive: true }))

describe('a certificate', () => {
  it('is signed by the authority in the folder, and covers the names and loopback', () => {
    const ca = new X509Certificate(readFileSync(join(folder, 'ca.pem')))
    const cert = new X509Certificate(first.cert)
    expect([
      ca.ca,
      cert.ca,
      ca.verify(ca.publicKey),
      cert.verify(ca.publicKey),
      cert.checkIssued(ca),
    ]).toEqual([true, false, true, true, true])
    expect([ca.subject, cert.subject, cert.issuer]).toEqual([
      'CN=Understudy test authority',
      'CN=Understudy',
      'CN=Understudy test authority',
    ])
    // Key usage of the server: TLS server authentication.
    expect(cert.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(cert.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:gateway.test, IP Address:10.0.0.7',
    )
    expect(first.cert.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    expect(cert.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048)
  })

  it('is valid from yesterday for 397 days', () => {
    const { validFromDate, validToDate } = new X509Certificate(first.cert)
    expect((validToDate.getTime() - validFromDate.getTime()) / dayMs).toBe(398)
    expect(Math.round((Date.now() - validFromDate.getTime()) / dayMs)).toBe(1)
  })

  it('has constraints, key usage and key identifiers in both certificates', () => {
    const bytes = (pem: string) => new X509Certificate(pem).raw.toString('hex')
    // Object identifiers of X.509 extensions, followed by `01 01 ff` if the extension is critical.
    const constraints = '0603551d130101ff'
    const usage = '0603551d0f0101ff'
    const subjectKey = '0603551d0e'
    const authorityKey = '0603551d23'
    const ca = bytes(readFileSync(join(folder, 'ca.pem'), 'utf8'))
    const cert = bytes(first.cert)
    for (const each of [constraints, usage, subjectKey]) expect(ca).toContain(each)
    // Basic constraints `CA: true`; key usage `keyCertSign, cRLSign`.
    expect(ca).toContain(`${constraints}040530030101ff`)
    expect(ca).toContain(`${usage}040403020106`)
    for (const each of [constraints, usage, subjectKey, authorityKey]) expect(cert).toContain(each)
    // Basic constraints without CA; key usage `digitalSignature, keyEncipherment`.
    expect(cert).toContain(`${constraints}04023000`)
    expect(cert).toContain(`${usage}0404030205a0`)
  })
})

describe('certificate files', () => {
  const read = (...names: string[]) => readCertificate({ folder, names })

  it('are reused while they cover the names, with a key that only the owner can read', async () => {
    expect(readdirSync(folder).sort()).toEqual(['ca.pem', 'cert.pem', 'key.pem'])
    expect(statSync(join(folder, 'key.pem')).mode & 0o777).toBe(0o600)
    expect((await read('gateway.test')).cert).toBe(first.cert)
    expect((await read('::', '10.0.0.7')).key).toBe(readFileSync(join(folder, 'key.pem'), 'utf8'))
  })

  it('are replaced a day before they expire, and for a further address', async () => {
    vi.useFakeTimers({ now: Date.now() + 395.9 * dayMs, toFake: ['Date'] })
    try {
      expect((await read()).cert).toBe(first.cert)
      vi.setSystemTime(Date.now() + 0.2 * dayMs)
      expect((await read()).cert).not.toBe(first.cert)
    } finally {
      vi.useRealTimers()
    }
    const before = (await read()).cert
    expect((await read('10.0.0.8')).cert).not.toBe(before)
  })

  it('that someone else made are used unchanged, and a file without a certificate is reported', async () => {
    const other = mkdtempSync(join(tmpdir(), 'understudy-certificate-'))
    writeFileSync(join(other, 'cert.pem'), otherCertificate)
    writeFileSync(join(other, 'key.pem'), 'its key')
    const readOther = () => readCertificate({ folder: other, names: ['gateway.test'] })
    expect(await readOther()).toEqual({ cert: otherCertificate, key: 'its key' })
    writeFileSync(join(other, 'cert.pem'), 'no certificate')
    await expect(readOther()).rejects.toThrow(/^tls: .*cert\.pem is not a certificate$/)
    rmSync(other, { recursive: true })
  })

  it('are not written without a folder, and have serial numbers that differ', async () => {
    const { cert, key } = await readCertificate({ folder: undefined, names: [] })
    expect(new X509Certificate(cert).checkHost('localhost')).toBe('localhost')
    expect(key).toContain('PRIVATE KEY')
    const numbers = [first.cert, cert].map((pem) => new X509Certificate(pem).serialNumber)
    expect(new Set(numbers).size).toBe(2)
    for (const number of numbers) expect(number).toMatch(/^01[\dA-F]{30}$/)
  })
})

/** Returns the text of a reply over HTTPS from a server whose authority is in the folder. */
async function get(url: string): Promise<string> {
  const sent = request(url, { ca: readFileSync(join(folder, 'ca.pem')), agent: false }).end()
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

async function listening(listener: RequestListener): Promise<{ server: Server; port: number; url: string }> {
  const server = await secureServer({}, listener, { folder, names: [] })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port, url: `https://127.0.0.1:${port}` }
}

const closed = (server: Server) => new Promise((resolve) => server.close(resolve))

describe('an HTTPS server', () => {
  it('resets the TCP connection of a socket, and still responds to other clients', async () => {
    const { server, url } = await listening((incoming, response) => {
      if (incoming.url === '/reset') incoming.socket.resetAndDestroy()
      else response.end('Hello')
    })
    await expect(get(`${url}/reset`)).rejects.toMatchObject({ code: 'ECONNRESET', syscall: 'read' })
    expect(await get(url)).toBe('Hello')
    await closed(server)
  })

  it('finishes replies in flight when it is closed', async () => {
    const { server, url } = await listening((_, response) => {
      server.close()
      response.end('Hello')
    })
    expect(await get(url)).toBe('Hello')
  })

  // Handshakes time out after ten seconds.
  it('disconnects clients with unfinished handshakes when it is closed', { timeout: 8000 }, async () => {
    const { server, port } = await listening(() => {})
    const connected = once(server, 'connection')
    const socket = connect(port, '127.0.0.1')
    await connected
    const disconnected = once(socket, 'close')
    await closed(server)
    await disconnected
  })
})

describe('the tls option', () => {
  it('starts an HTTPS server with the certificate in the folder, or with a new one', async () => {
    const isInFolder = async (tls: boolean | string) => {
      await using server = await startServer({ tls })
      expect(server.url).toMatch(/^https:/)
      const socket = connectSecurely({ port: server.port, rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      const sent = socket.getPeerX509Certificate()?.fingerprint
      socket.destroy()
      return sent === new X509Certificate(readFileSync(join(folder, 'cert.pem'))).fingerprint
    }
    expect([await isInFolder(folder), await isInFolder(true)]).toEqual([true, false])
  })

  it('starts an HTTP server if it is false', async () => {
    await using server = await startServer({ tls: false })
    expect(server.url).toMatch(/^http:/)
  })

  it('is a boolean or the path of a folder', () => {
    expect(() => createGateway({ tls: 'a' })).not.toThrow()
    expect(() => createGateway({ tls: '' })).toThrow(/tls/)
  })
})
