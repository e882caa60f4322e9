/** Tests faults on the streams of chat completions and messages. */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'
import { describeCase, protocolCases, runAll } from '../../faults/pairs.ts'

it('each fault has an effect on chat and messages streams if it applies to them', async () => {
  const alone = protocolCases.filter(({ second, adapter }) => second === undefined && adapter === 'fetch')
  const results = await runAll(alone, 48)
  const failures = results.flatMap((result, index) =>
    result.kind === 'failed' ? [`${describeCase(alone[index] as never)}: ${result.why}`] : [],
  )
  expect(failures).toEqual([])
  expect(results.filter(({ kind }) => kind === 'both').length).toBeGreaterThan(90)
}, 60_000)

it.each([
  ['createChatCompletion', 'POST /chat/completions'],
  ['createMessage', 'POST /messages'],
] as const)('slow-stream changes nothing but the timing of %s', async (on, line) => {
  const messages = [{ role: 'user', content: 'Why is the sky blue?' }]
  const body = { model: 'aurora/dawn-2', max_tokens: 50, messages, stream: true }
  const textWith = async (perToken: number) => {
    const gateway = createGateway({ timeScale: 0 })
    gateway.use({ on, fault: { name: 'slow-stream', perToken } })
    return (await call(gateway, line, { body })).text
  }
  expect(await textWith(1)).toBe(await textWith(0))
})
