/**
 * What becomes of the connections that a fault keeps silent when their sandbox is reset or deleted.
 */
import { expect, it } from 'vitest'
import { describeAdapters } from '../describe-adapters.ts'

const body = { model: 'aurora/dawn-1', input: 'Why?', stream: true }

describeAdapters('A connection that a fault keeps silent', (entrance) => {
  const ends = [
    ['reset', () => entrance.sandbox.reset()],
    ['deleted', () => entrance.sandbox.dispose()],
  ] as const

  it.each(ends)('ends when its sandbox is %s, before an answer', async (_what, end) => {
    const { sandbox } = entrance
    sandbox.use({ on: '*', fault: 'timeout' })
    const silent = entrance.open('GET /providers')
    silent.catch(() => {})
    const sent = sandbox.journal
    while (sent.entries().length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    end()
    await expect(silent).rejects.toThrow(TypeError)
  })

  it.each(ends)('ends when its sandbox is %s, in the middle of a stream', async (_what, end) => {
    entrance.sandbox.use({ on: '*', fault: 'stream-stall' })
    const response = await entrance.open('POST /responses', { body })
    const text = response.text()
    text.catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 20))
    end()
    await expect(text).rejects.toThrow(TypeError)
  })
})
