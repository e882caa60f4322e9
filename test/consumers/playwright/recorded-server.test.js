import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lastOf, outcomes } from './recorded.js'

let server
let baseURL
beforeAll(async () => {
  const flags = ['serve', '--config', 'recorded.yaml', '--port', '0', '--json']
  server = spawn('node_modules/.bin/gateway-understudy', flags, { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(server.stdout.setEncoding('utf8'), 'data')
  baseURL = JSON.parse(line).baseUrl
})
afterAll(() => server.kill())

test.for(Object.entries(outcomes))(
  'a server replays a recording with the fault %s',
  async ([name, outcome]) => {
    const headers = name === 'none' ? {} : { 'x-understudy-scenario': name }
    expect(await lastOf({ baseURL }, headers)).toBe(outcome)
  },
)
