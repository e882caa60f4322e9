/** Certificate files in a folder: `ca.pem`, which clients trust, `cert.pem` and `key.pem`. */
import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { wallClock } from '../../lib/clock.ts'
import { authorityName, type Certificate, dayMs, makeCertificate } from './certificate.ts'
import type { CertificateSource } from './secure-server.ts'

/** Names of the loopback interface. */
const loopback = ['localhost', '127.0.0.1', '::1']

/**
 * Returns the certificate in a folder, and makes one if there is none. A certificate made earlier is replaced if it
 * expires within a day or does not cover a name; any other certificate is used unchanged.
 */
export async function readCertificate({
  folder,
  names,
}: CertificateSource): Promise<Pick<Certificate, 'cert' | 'key'>> {
  const all = [...new Set([...loopback, ...names.filter((name) => name !== '0.0.0.0' && name !== '::')])]
  if (folder === undefined) return makeCertificate(all)
  const path = (name: string) => join(folder, `${name}.pem`)
  if (existsSync(path('cert')) && existsSync(path('key'))) {
    const [cert, key] = [readFileSync(path('cert'), 'utf8'), readFileSync(path('key'), 'utf8')]
    if (isUsable(parsed(cert, path('cert')), all)) return { cert, key }
  }
  const made = await makeCertificate(all)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path('ca'), made.ca)
  writeFileSync(path('cert'), made.cert)
  writeFileSync(path('key'), made.key, { mode: 0o600 })
  return made
}

function parsed(pem: string, file: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    throw new TypeError(`tls: ${file} is not a certificate`, { cause: error })
  }
}

function isUsable(certificate: X509Certificate, names: readonly string[]): boolean {
  if (!certificate.issuer.includes(authorityName)) return true
  const isCovered = (name: string) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name))
  return certificate.validToDate.getTime() > wallClock().getTime() + dayMs && names.every(isCovered)
}
