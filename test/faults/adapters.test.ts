/** Tests faults together with replies, and their end, through every adapter. `pairs.test.ts` tests each fault. */
import { describe, expect, it } from 'vitest'
import { describeAdapters } from '../describe-adapters.ts'

const streamed = { model: 'aurora/dawn-1', input: 'Why is the sky blue?', stream: true }

describeAdapters('faults', (entrance) => {
  describe('combined with a reply in one rule', () => {
    it('cut the stream of the scripted text', async () => {
      entrance.sandbox.use({
        on: 'createResponse',
        reply: { text: 'one two three four five six' },
        fault: 'stream-cut',
      })
      const { text } = await entrance.call('POST /responses', { body: streamed })
      const deltas = [...text.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta)
      expect(deltas.join('')).toBe('one two three')
      expect(text).not.toContain('response.completed')
      expect(entrance.sandbox.journal.last('createResponse')?.rules[0]?.faults).toEqual(['stream-cut'])
    })

    it('change the scripted body in a sequence step', async () => {
      entrance.sandbox.use({
        on: 'listProviders',
        sequence: [
          { reply: { body: { data: [] } }, fault: { name: 'field', path: 'data', to: 'wrong-type' } },
          'pass',
        ],
      })
      expect((await entrance.call('GET /providers')).body).toEqual({ data: '[]' })
      expect((await entrance.call('GET /providers')).body.data.length).toBeGreaterThan(0)
    })
  })

  describe('that never end a reply', () => {
    const ends = [
      ['reset', () => entrance.sandbox.reset()],
      ['deleted', () => entrance.sandbox.dispose()],
    ] as const

    it.each(ends)('timeout: ends if the sandbox is %s', async (_action, end) => {
      const { sandbox } = entrance
      sandbox.use({ on: '*', fault: 'timeout' })
      const silent = entrance.open('GET /providers')
      silent.catch(() => {})
      await sandbox.journal.waitFor('listProviders')
      end()
      await expect(silent).rejects.toThrow(TypeError)
    })

    it.each(ends)('stream-stall: ends if the sandbox is %s', async (_action, end) => {
      entrance.sandbox.use({ on: '*', fault: 'stream-stall' })
      const response = await entrance.open('POST /responses', { body: streamed })
      end()
      await expect(response.text()).rejects.toThrow(TypeError)
    })
  })
})
