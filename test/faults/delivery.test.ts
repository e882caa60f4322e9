/**
 * A scripted reply and the faults of its delivery in one rule.
 */
import { expect, it } from 'vitest'
import { describeAdapters } from '../describe-adapters.ts'

const asked = { model: 'aurora/dawn-1', input: 'Why?', stream: true }

describeAdapters('A reply and a fault in one rule', (entrance) => {
  it('sends the scripted text and cuts it in the middle', async () => {
    entrance.sandbox.use({
      on: 'createResponse',
      reply: { text: 'one two three four five six' },
      fault: 'stream-cut',
    })
    const { text } = await entrance.call('POST /responses', { body: asked })
    const deltas = [...text.matchAll(/"delta":"([^"]*)"/g)].map(([, delta]) => delta)
    expect(deltas.join('')).toBe('one two three')
    expect(text).not.toContain('response.completed')
    expect(entrance.sandbox.journal.last('createResponse')?.rule?.faults).toEqual(['stream-cut'])
  })

  it('does the same in a step of a sequence', async () => {
    entrance.sandbox.use({
      on: 'listProviders',
      sequence: [{ reply: { body: { data: [] } }, fault: { name: 'wrong-type', path: 'data' } }, 'pass'],
    })
    expect((await entrance.call('GET /providers')).body).toEqual({ data: '[]' })
    expect((await entrance.call('GET /providers')).body.data.length).toBeGreaterThan(0)
  })
})
