/** Tests the generated certificate and its files. The slow tests in this folder use real clients. */
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readCertificate } from '../../../src/extras/tls/certificate-files.ts'

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

let folder: string
let first: Awaited<ReturnType<typeof readCertificate>>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-certificate-'))
  first = await readCertificate({ folder, names: ['gateway.test', '0.0.0.0', '10.0.0.7'] })
})
afterAll(() => rmSync(folder, { recursive: true }))

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
    expect(Math.round((validToDate.getTime() - validFromDate.getTime()) / dayMs)).toBe(398)
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
    writeFileSync(join(folder, 'cert.pem'), 'no certificate')
    await expect(read()).rejects.toThrow(/^tls: .*cert\.pem is not a certificate$/)
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
