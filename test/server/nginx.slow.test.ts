/** Tests two servers behind nginx, with the configuration in the server's document. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { startServer } from '../../src/serve.ts'
import { call } from '../call.ts'
import { hasProgram } from '../has-program.ts'

const example = new URL('../consumers/nginx/nginx.conf', import.meta.url)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

describe.skipIf(!hasProgram('nginx'))('two servers behind nginx (Debian package nginx)', () => {
  it('share their sandboxes by id, which requests name in the path or in the key', async () => {
    await using first = await startServer()
    await using second = await startServer()
    const [folder, port] = [await mkdtemp(join(tmpdir(), 'understudy-nginx-')), await freePort()]
    const config = (await readFile(example, 'utf8'))
      .replace('/tmp/understudy-nginx.pid', join(folder, 'pid'))
      .replaceAll('4141', String(first.port))
      .replaceAll('4142', String(second.port))
      .replaceAll('8080', String(port))
    await writeFile(join(folder, 'nginx.conf'), config)
    const nginx = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
      stdio: 'inherit',
    })
    const url = `http://127.0.0.1:${port}`
    try {
      await vi.waitUntil(() =>
        fetch(`${url}/__understudy/health`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      for (let number = 0; number < 20; number++) {
        const id = `test-${number}`
        const { body } = await call({ baseUrl: `${url}/__understudy` }, `PUT /sandboxes/${id}`, { body: {} })
        const { baseUrl, apiKey } = body.data
        expect(baseUrl).toBe(`${url}/sandboxes/${id}/api/v1`)
        await call({ baseUrl, apiKey: 'any' }, 'PATCH /workspaces/production', { body: { name: id } })
        const { text } = await call({ baseUrl: `${url}/api/v1`, apiKey }, 'POST /responses', {
          body: { model: 'aurora/dawn-2', input: 'Hello?', stream: true },
        })
        expect(text).toMatch(/\[DONE\]\s*$/)
        const owner = [first, second].find(({ gateway }) => gateway.sandboxes.get(id))
        const sandbox = owner?.gateway.sandboxes.find(id)
        expect(sandbox?.journal.entries()).toHaveLength(2)
      }
      const counts = [first, second].map(({ gateway }) => gateway.sandboxes.listLive().length)
      expect(counts.reduce((sum, count) => sum + count)).toBe(20)
      expect(Math.min(...counts)).toBeGreaterThan(0)
    } finally {
      nginx.kill('SIGTERM')
      await once(nginx, 'exit')
      await rm(folder, { recursive: true })
    }
  })
})
