/**
 * Tests that unmatched gateway requests do not leave the process in Bun and Deno. A local proxy stands in for all
 * hosts.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Consumer, install } from './consumer.ts'

let project: Consumer
const received: string[] = []
const proxy = createServer((request, response) => {
  received.push(`${request.method} ${request.url}`)
  response.end('real')
})

beforeAll(async () => {
  project = await install('runtimes')
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  proxy.close()
  await project[Symbol.asyncDispose]()
})

const noFetch = (runtime: string) =>
  `handlers: MSW 3 does not intercept fetch in ${runtime}: pass fetch: gateway.fetch to the client, or use intercept(gateway) from gateway-understudy/node`

it.each([
  { runtime: 'Bun', command: 'bun leaks.js', handlers: noFetch('Bun') },
  { runtime: 'Deno', command: 'deno run --allow-all leaks.js', handlers: noFetch('Deno') },
])(
  '$runtime keeps requests that look like gateway requests in the process',
  async ({ command, handlers }) => {
    received.length = 0
    const { port } = proxy.address() as AddressInfo
    const { stdout, stderr } = await project.run(
      `PATH=node_modules/.bin:$PATH HTTP_PROXY=http://127.0.0.1:${port} ${command}`,
    )
    const { asked, restored, handlers: made, ...results } = JSON.parse(stdout || JSON.stringify({ stderr }))
    const lines = Object.keys(results)
    expect(lines).toHaveLength(4)
    for (const line of lines) {
      const allowed = line.endsWith('/providers') ? /^200$/ : /^404$|Unhandled request/
      expect(results[line], line).toEqual(Array.from({ length: 6 }, () => expect.anything()))
      for (const result of results[line]) expect(String(result), line).toMatch(allowed)
    }
    expect({ asked, restored, made }).toEqual({ asked: 200, restored: true, made: handlers })
    expect(received.map((line) => line.replace('http://gateway.example', ''))).toEqual([
      expect.stringContaining('/api/v1/asked'),
    ])
  },
)

it.each([
  { runtime: 'Bun', command: 'bun test ./bun.test.js', passed: /1 pass\n\s*0 fail/ },
  { runtime: 'Deno', command: 'deno test --allow-all deno.test.js', passed: /1 passed.*\| 0 failed/ },
  { runtime: 'Miniflare', command: 'node --test --test-reporter=tap worker.test.js', passed: /^# pass 1$/m },
])('$runtime runs the example in its document', async ({ command, passed }) => {
  const { stdout, stderr } = await project.run(`PATH=node_modules/.bin:$PATH NO_COLOR=1 ${command}`)
  expect(stdout + stderr).toMatch(passed)
})

it("gateway.fetch replies to all of a worker's requests in Miniflare", async () => {
  const { stdout, stderr } = await project.run('node worker.js')
  expect(JSON.parse(stdout || JSON.stringify({ stderr }))).toEqual([200, 404, 404, 200])
})
