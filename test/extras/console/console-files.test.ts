/** Tests how the console's files are served. The slow tests in this folder test the page itself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consoleFile } from '../../../src/extras/console/console-files.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { runCommand } from '../../cli/run-command.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startServer({ token: 'secret' })
})
afterAll(() => server.close())

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/__understudy${path}`, { redirect: 'manual', ...init })

async function filesOf(): Promise<string[]> {
  const page = await (await get('/')).text()
  return [...page.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name = '']) => name)
}

it('serve starts the console unless --no-console is set', async () => {
  expect((await runCommand()).started).toMatchObject({ console: true })
  expect((await runCommand('--no-console')).started).toMatchObject({ console: false })
})

describe('GET /', () => {
  const root = (accept: string, { url } = server) =>
    fetch(`${url}/`, { headers: { accept }, redirect: 'manual' })

  it('redirects browsers to the console, and returns links to other clients', async () => {
    const redirect = await root('text/html,application/xhtml+xml,*/*;q=0.8')
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, '/__understudy/'])
    expect((await (await root('*/*')).json()).data).toHaveProperty('console', '/__understudy/')
  })

  it('returns links without the console if the console is disabled', async () => {
    await using withoutConsole = await startServer({ console: false })
    expect((await (await root('text/html', withoutConsole)).json()).data).not.toHaveProperty('console')
  })
})

describe('the console', () => {
  it('requires no token for its page, whose policy only allows its own script and this server', async () => {
    const response = await get('/')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const { status, headers } = await get('')
    expect([status, headers.get('location')]).toEqual([308, '/__understudy/'])
  })

  it('consists of three files, two of which have a hash in their name and are cached forever', async () => {
    const names = await filesOf()
    expect(names.map((name) => name.split('.')[1]).sort()).toEqual(['css', 'js'])
    for (const name of names) {
      const response = await get(`/${name}`)
      expect(response.status).toBe(200)
      expect(response.headers.get('cache-control')).toContain('immutable')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      const etag = response.headers.get('etag') ?? ''
      expect((await get(`/${name}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
    }
  })

  it('is read once', async () => {
    expect(await consoleFile('/')).toBe(await consoleFile('/'))
  })

  it('responds to HEAD as to GET, but without the body', async () => {
    const [whole, head] = await Promise.all([get('/'), get('/', { method: 'HEAD' })])
    expect(head.headers.get('content-length')).toBe(String((await whole.arrayBuffer()).byteLength))
    expect(head.headers.get('content-security-policy')).toBe(whole.headers.get('content-security-policy'))
    expect(await head.text()).toBe('')
  })

  it('serves no other file, and no data without the token', async () => {
    expect((await get('/console-unknown.js')).status).toBe(404)
    expect((await get('/index.html')).status).toBe(401)
    expect((await get('/..%2fpackage.json')).status).toBe(401)
    expect((await get('/sandboxes')).status).toBe(401)
    expect((await get('/', { method: 'POST' })).status).toBe(401)
  })

  it('is not served with console: false', async () => {
    await using without = await startServer({ console: false })
    expect((await fetch(`${without.url}/__understudy/`)).status).toBe(404)
  })
})
