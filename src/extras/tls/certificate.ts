/** Generates a server certificate and the authority that signs it. The authority's key is discarded. */
import { generateKeyPair, randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { promisify } from 'node:util'
import { wallClock } from '../../lib/clock.ts'

export interface Certificate {
  /** The authority's certificate, as PEM. */
  readonly ca: string
  /** The server's certificate, followed by the authority's, as PEM. */
  readonly cert: string
  /** The server's private key, as PEM. */
  readonly key: string
}

/** The authority's name, as shown in clients' lists of trusted certificates. */
export const authorityName = 'Understudy test authority'

/** Lifetime in days. Apple's clients accept at most 825. */
const days = 397
export const dayMs = 24 * 60 * 60 * 1000

/** The part of `node-forge` that this file uses. The package's types are not installed. */
interface Forge {
  readonly pki: {
    createCertificate(): ForgeCertificate
    certificateToPem(certificate: ForgeCertificate): string
    privateKeyFromPem(pem: string): object
    publicKeyFromPem(pem: string): object
  }
  readonly md: { readonly sha256: { create(): object } }
}

interface ForgeCertificate {
  publicKey: object
  serialNumber: string
  readonly validity: { notBefore: Date; notAfter: Date }
  setSubject(attributes: object[]): void
  setIssuer(attributes: object[]): void
  setExtensions(extensions: object[]): void
  sign(key: object, digest: object): void
  generateSubjectKeyIdentifier(): { getBytes(): string }
}

/** @param names Host names and addresses for which the certificate is valid. */
export async function makeCertificate(names: readonly string[]): Promise<Certificate> {
  // Loaded with `require`, so that bundlers do not try to resolve it.
  const { pki, md }: Forge = createRequire(import.meta.url)('node-forge')
  const [authority, server] = await Promise.all([makeKeys(), makeKeys()])
  const make = (name: string, publicKey: string, extensions: object[]) => {
    const certificate = pki.createCertificate()
    const now = wallClock().getTime()
    certificate.publicKey = pki.publicKeyFromPem(publicKey)
    certificate.serialNumber = serialNumber()
    certificate.validity.notBefore = new Date(now - dayMs)
    certificate.validity.notAfter = new Date(now + days * dayMs)
    certificate.setSubject([{ name: 'commonName', value: name }])
    certificate.setIssuer([{ name: 'commonName', value: authorityName }])
    certificate.setExtensions(extensions)
    certificate.sign(pki.privateKeyFromPem(authority.privateKey), md.sha256.create())
    return certificate
  }
  const ca = make(authorityName, authority.publicKey, [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ])
  const altNames = names.map((name) => (isIP(name) ? { type: 7, ip: name } : { type: 2, value: name }))
  const cert = make('Understudy', server.publicKey, [
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    { name: 'subjectKeyIdentifier' },
    // Python requires this extension.
    { name: 'authorityKeyIdentifier', keyIdentifier: ca.generateSubjectKeyIdentifier().getBytes() },
    { name: 'subjectAltName', altNames },
  ])
  const authorityPem = pki.certificateToPem(ca)
  return { ca: authorityPem, cert: pki.certificateToPem(cert) + authorityPem, key: server.privateKey }
}

/** Uses Node's key generator, which is a hundred times faster than `node-forge`'s. */
function makeKeys(): Promise<{ publicKey: string; privateKey: string }> {
  return promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

/** Serial numbers of authorities with the same name must differ, because browsers reject repeated ones. */
function serialNumber(): string {
  return `01${randomBytes(15).toString('hex')}`
}
