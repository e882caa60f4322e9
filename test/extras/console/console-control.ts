import { expect } from 'vitest'
import type { RunningServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'

/** Sends `METHOD /path` to the console's control operations, and returns the reply's data. */
export async function consoleData<Data>(server: RunningServer, line: string, body?: object): Promise<Data> {
  const [method, path] = line.split(' ')
  const target = { baseUrl: `${server.url}/__understudy/console` }
  const { text, body: reply } = await call(target, `${method} ${path}`, { body })
  expect(reply?.data, text).toBeDefined()
  return reply.data
}
