/**
 * Fifty concurrent tests that share clients created once in one module, with one key. Run twice: in a
 * separate process by ../failing.slow.test.ts, and together with other files by ../isolation.test.ts.
 */
import { Agent } from 'node:https'
import axios from 'axios'
import OpenAI from 'openai'
import { describe } from 'vitest'
import { expect, test } from '../../../src/vitest.ts'

const baseURL = 'https://models.example/api/v1'
const openai = new OpenAI({ apiKey: 'sk-one-for-all', baseURL, maxRetries: 1 })
const http = axios.create({
  baseURL,
  adapter: 'http',
  headers: { authorization: 'Bearer sk-one-for-all' },
  httpsAgent: new Agent({ keepAlive: true, maxSockets: 4 }),
  validateStatus: () => true,
})

describe.concurrent('fifty concurrent tests with a shared client and key', () => {
  for (let number = 0; number < 50; number++) {
    test(`receive only their own replies, faults and calls (${number})`, async ({ sandbox, expect }) => {
      const model = `vendor/model-${number}`
      sandbox.fail(503, { times: 1, headers: { 'retry-after-ms': '1' } })
      sandbox.reply(`Answer ${number}.`, { when: { model } })
      const { output_text } = await openai.responses.create({ model, input: 'Hello' })
      expect(output_text).toBe(`Answer ${number}.`)

      sandbox.fail(400 + number, { times: 1 })
      const providers = () => http.get('/providers').then(({ status }) => status)
      expect([await providers(), await providers()]).toEqual([400 + number, 200])
      const { data } = await http.post('/responses', { model, input: 'Hello', stream: true })
      expect(data).toContain(`${number}.`)

      await sandbox.db.workspaces.update('production', { name: `Production ${number}` })
      const renamed = await http.patch('/workspaces/production', { description: 'The same row' })
      expect(renamed.data.data.name).toBe(`Production ${number}`)

      expect(sandbox).toHaveReceivedTimes('createResponse', 3, { body: { model } })
      expect(sandbox).toHaveReceivedTimes('createResponse', 3)
      expect(sandbox).toHaveReceivedTimes('listProviders', 2)
    })
  }
})

test('the default sandbox received none of their requests', ({ gateway }) => {
  expect(gateway.journal.entries()).toEqual([])
})
