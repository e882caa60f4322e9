import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../src/serve.ts'
import { hasProgram } from '../has-program.ts'
import { temporaryFolder } from '../temporary-folder.ts'

describe.skipIf(!hasProgram('openssl'))('a server with a certificate', () => {
  const folder = temporaryFolder()
  const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  beforeAll(() => {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const files = ['-keyout', tlsKey, '-out', tlsCert]
    execFileSync('openssl', ['req', '-x509', '-days', '2', ...curve, ...subject, ...files], { stdio: 'pipe' })
  })

  async function send(url: string, method = 'GET') {
    const headers = { authorization: 'Bearer any' }
    const sent = request(url, { method, headers, ca: readFileSync(tlsCert), agent: false }).end()
    const [response] = await once(sent, 'response')
    let text = ''
    for await (const chunk of response) text += chunk
    return { status: response.statusCode, body: JSON.parse(text) }
  }

  it('serves HTTPS, and names https URLs', async () => {
    await using server = await startServer({ tlsCert, tlsKey })
    expect(server.url).toMatch(/^https:/)
    expect((await send(`${server.baseUrl}/providers`)).status).toBe(200)
    const { body } = await send(`${server.url}/__understudy/sandboxes`, 'POST')
    expect(body.data.baseUrl).toBe(`${server.url}/sandboxes/s1/api/v1`)
    await expect(fetch(server.url.replace('https', 'http'))).rejects.toThrow()
  })

  it('resets and cuts connections, and still responds to other clients', async () => {
    await using server = await startServer({ tlsCert, tlsKey })
    server.gateway.use({ on: '*', fault: 'connection-reset', times: 1 })
    await expect(send(`${server.baseUrl}/providers`)).rejects.toMatchObject({
      code: 'ECONNRESET',
      syscall: 'read',
    })
    expect((await send(`${server.baseUrl}/providers`)).status).toBe(200)
  })

  // Handshakes time out after ten seconds.
  it('disconnects clients with unfinished handshakes when it is closed', { timeout: 8000 }, async () => {
    const server = await startServer({ tlsCert, tlsKey })
    const socket = connect(server.port, '127.0.0.1')
    await once(socket, 'connect')
    await new Promise((resolve) => setImmediate(resolve))
    const disconnected = once(socket, 'close')
    await server.close()
    await disconnected
  })
})
