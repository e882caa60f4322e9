/**
 * Tests HTTPS: the golden transcript with all faults, and clients that trust the authority in the folder.
 * Also runs against the single executable.
 */
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { chromium } from '@playwright/test'
import packed from '@sparticuz/chromium'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { startServer as startInProcess } from '../../../src/serve.ts'
import { runCommand } from '../../cli/run-command.ts'
import { expectCalls } from '../../golden/expect-golden.ts'
import { type GatewayName, gateways } from '../../golden/requests.ts'
import { decode, play, stories, type Transcript } from '../../golden/transcript.ts'
import { overSocket } from '../../golden/transports.ts'
import { hasProgram } from '../../has-program.ts'
import { isBinary, type Server, startServer } from '../../server/start-server.ts'

const execute = promisify(execFile)

let folder: string
let server: Server
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-tls-'))
  server = await startServer({ tls: folder, allowedHosts: ['gateway.test'] })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const pem = (name: string) => readFileSync(join(folder, `${name}.pem`), 'utf8')

it.skipIf(isBinary()).each(Object.keys(gateways) as GatewayName[])(
  'HTTPS sends the bytes of the golden transcript (%s)',
  async (name) => {
    const baseUrl = 'https://gateway.example/api/v1'
    const gateway = createGateway({ seed: 1, timeScale: 0, baseUrl, ...gateways[name], tls: folder })
    await using secure = await startInProcess({ gateway })
    const chosen = stories.filter(({ transport, group }) => transport === 'socket' && group.gateway === name)
    const transcript: Transcript = new Map()
    const send = overSocket(secure.baseUrl, pem('ca'))
    for (const story of chosen) await play(story, gateway, send, transcript)
    const golden = decode()
    expectCalls(transcript, new Map([...transcript.keys()].map((key) => [key, golden.get(key) ?? []])))
  },
)

/** A request for every operation: method, path and body. */
const requests = [
  ['GET', '/providers'],
  ['GET', '/embeddings/models'],
  ['GET', '/benchmarks'],
  ['GET', '/presets/code-review'],
  ['PATCH', '/workspaces/production', '{"name":"Renamed"}'],
  ['POST', '/responses', '{"model":"aurora/dawn-2","input":"Why tides?"}'],
]
const streamed = '{"model":"aurora/dawn-2","input":"Why tides?","stream":true}'
const scenarios = ['none', 'stream-cut', 'stream-reset', 'unreachable']

/** Function that returns the status of each request, then how a stream ends without and with faults. */
const inJavaScript = `async (baseUrl) => {
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
  const lines = []
  for (const [method, path, body] of ${JSON.stringify(requests)})
    lines.push((await fetch(baseUrl + path, { method, body, headers })).status)
  for (const scenario of ${JSON.stringify(scenarios)}) {
    const named = scenario === 'none' ? headers : { ...headers, 'x-understudy-scenario': scenario }
    try {
      const response = await fetch(baseUrl + '/responses', { method: 'POST', body: '${streamed}', headers: named })
      lines.push((await response.text()).endsWith('[DONE]\\n\\n') ? 'complete' : 'cut')
    } catch {
      lines.push('failed')
    }
  }
  return lines.join(' ')
}`
const expected = '200 200 200 200 200 200 complete cut failed failed'

describe('clients that trust ca.pem', () => {
  it('call the six operations, and receive streams and connection faults, in Node', async () => {
    const program = `console.log(await (${inJavaScript})('${server.baseUrl}'))`
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') }
    const { stdout } = await execute(process.execPath, ['--input-type=module', '--eval', program], { env })
    expect(stdout.trim()).toBe(expected)
  })

  it('call the six operations, and receive streams and connection faults, in a browser', async () => {
    const browser = await chromium.launch({
      executablePath: await packed.executablePath(),
      args: packed.args.filter((arg) => arg !== '--single-process'),
    })
    try {
      // Chromium has no flag that trusts a CA (users add it to the system store), so this ignores certificate
      // errors.
      const page = await browser.newPage({ ignoreHTTPSErrors: true })
      await page.goto(`${server.url}/__understudy/`)
      await page.getByRole('heading').first().waitFor()
      expect(await page.evaluate(`(${inJavaScript})('${server.baseUrl}')`)).toBe(expected)
    } finally {
      await browser.close()
    }
  })

  it.runIf(hasProgram('curl'))(
    'call the six operations, and receive streams and connection faults, in curl',
    async () => {
      const curl = async (...args: string[]) => {
        const headers = ['-H', 'authorization: Bearer any', '-H', 'content-type: application/json']
        const all = ['--silent', '--cacert', join(folder, 'ca.pem'), ...headers, ...args]
        return (await execute('curl', all)).stdout
      }
      const lines: string[] = []
      for (const [method = '', path = '', body] of requests)
        lines.push(
          await curl(
            '-X',
            method,
            ...(body ? ['-d', body] : []),
            '-o',
            '/dev/null',
            '-w',
            '%{http_code}',
            server.baseUrl + path,
          ),
        )
      for (const scenario of scenarios) {
        const named = scenario === 'none' ? [] : ['-H', `x-understudy-scenario: ${scenario}`]
        const text = await curl('-d', streamed, ...named, `${server.baseUrl}/responses`).catch(() => 'failed')
        lines.push(text === 'failed' ? text : text.endsWith('[DONE]\n\n') ? 'complete' : 'cut')
      }
      expect(lines.join(' ')).toBe(expected)
    },
  )

  it.runIf(hasProgram('python3'))(
    'call the six operations, and receive streams and connection faults, in Python with strict checks',
    async () => {
      const program = `
import http.client, json, ssl, sys, urllib.request
base, ca, requests, scenarios, streamed = sys.argv[1], sys.argv[2], *map(json.loads, sys.argv[3:5]), sys.argv[5]
context = ssl.create_default_context(cafile=ca)
context.verify_flags |= ssl.VERIFY_X509_STRICT
def send(method, path, body=None, **headers):
    headers = {"authorization": "Bearer any", "content-type": "application/json", **headers}
    request = urllib.request.Request(base + path, body and body.encode(), headers, method=method)
    return urllib.request.urlopen(request, context=context)
lines = [str(send(*each).status) for each in requests]
for scenario in scenarios:
    headers = {} if scenario == "none" else {"x-understudy-scenario": scenario}
    try:
        text = send("POST", "/responses", streamed, **headers).read()
        lines.append("complete" if text.endswith(b"[DONE]\\n\\n") else "cut")
    except (OSError, http.client.HTTPException):
        lines.append("failed")
print(*lines)
`
      const json = [JSON.stringify(requests), JSON.stringify(scenarios), streamed]
      const { stdout } = await execute('python3', [
        '-c',
        program,
        server.baseUrl,
        join(folder, 'ca.pem'),
        ...json,
      ])
      expect(stdout.trim()).toBe(expected)
    },
  )

  it('are the only ones accepted: clients without the authority, and plain HTTP, fail', async () => {
    await expect(fetch(server.baseUrl)).rejects.toThrow('fetch failed')
    await expect(fetch(server.baseUrl.replace('https', 'http'))).rejects.toThrow('fetch failed')
  })
})

describe('the certificate folder', () => {
  it('stores a certificate that names loopback and the allowed hosts', async () => {
    const before = pem('cert')
    const certificate = new X509Certificate(before)
    expect(certificate.subjectAltName).toBe(
      'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:gateway.test',
    )
    expect(certificate.checkIssued(new X509Certificate(pem('ca')))).toBe(true)
    expect(statSync(join(folder, 'key.pem')).mode & 0o077).toBe(0)
    await using _ = await startServer({ tls: folder })
    expect(pem('cert')).toBe(before)
  })

  it('gets a new certificate when the server has another name', async () => {
    const own = mkdtempSync(join(tmpdir(), 'understudy-tls-'))
    const read = () => new X509Certificate(readFileSync(join(own, 'cert.pem')))
    await (await startServer({ tls: own })).close()
    expect(read().checkHost('other.test')).toBeUndefined()
    await (await startServer({ tls: own, allowedHosts: ['other.test'] })).close()
    expect(read().checkHost('other.test')).toBe('other.test')
    rmSync(own, { recursive: true })
  })

  it('may contain your own certificate', async () => {
    const own = mkdtempSync(join(tmpdir(), 'understudy-tls-'))
    const file = (name: string) => join(own, `${name}.pem`)
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=mine', '-days', '1']
    await execute('openssl', [...request, '-keyout', file('key'), '-out', file('cert')])
    const before = readFileSync(file('cert'), 'utf8')
    await (await startServer({ tls: own })).close()
    expect(readFileSync(file('cert'), 'utf8')).toBe(before)
    writeFileSync(file('cert'), 'no certificate')
    await expect(startServer({ tls: own })).rejects.toThrow(`tls: ${file('cert')} is not a certificate`)
    rmSync(own, { recursive: true })
  })
})

it('HTTPS is enabled by a flag', async () => {
  const { started } = await runCommand('--tls', folder)
  expect(started?.gateway.extras.filter(({ secureServer }) => secureServer)).toHaveLength(1)
})

it('an HTTPS server closes connections with unfinished handshakes when it is closed', async () => {
  const secure = await startServer({ tls: true })
  const socket = connect(secure.port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await secure.close()
  await closed
})
