import OpenAI from 'openai'
import { describe, expect } from 'vitest'
import { test } from '../../src/vitest.ts'

describe('toHaveFinishedScript', () => {
  test('passes when every conversation has reached the end of its script', async ({ sandbox }) => {
    sandbox.script([{ text: 'Hello' }])
    const openai = new OpenAI({ apiKey: sandbox.apiKey, baseURL: sandbox.baseUrl })
    await openai.responses.create({ model: 'aurora/dawn-2', input: 'Hi' })
    expect(sandbox).toHaveFinishedScript()
  })

  test('lists the remaining turns and how the last request differed', async ({ sandbox }) => {
    expect(() => expect(sandbox).toHaveFinishedScript()).toThrow('Expected a script, but none is active')
    sandbox.script([{ text: 'Hello' }, { expect: { input: 'tides' }, text: 'At six' }])
    sandbox.script([{ text: 'Never asked for' }])
    const openai = new OpenAI({ apiKey: sandbox.apiKey, baseURL: sandbox.baseUrl })
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Hi' }]
    const { output } = await openai.responses.create({ model: 'aurora/dawn-2', input })
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]), {
      role: 'user',
      content: 'And the moon?',
    })
    await expect(openai.responses.create({ model: 'aurora/dawn-2', input })).rejects.toThrow(
      "400 script() number 1: turn 2 of 2 does not match: expected a user message containing 'tides', but received 'And the moon?'",
    )
    expect(sandbox).toHaveReceivedTimes('createResponse', 2)
    expect(() => expect(sandbox).toHaveFinishedScript()).toThrow(
      `Expected every script to be finished, but these are not:
  script() is at turn 1 of 2 in conversation 1; turn 2 expected a user message containing 'tides', but received 'And the moon?'
  script() has not started: 0 of 1 turns consumed
The journal has 2 calls:
  1. POST /sandboxes/${sandbox.id}/api/v1/responses (createResponse): 200 by script(), turn 1 of 2 in conversation 1`,
    )
  })
})
