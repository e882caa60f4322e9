import OpenAI from 'openai'
import { describe, expect } from 'vitest'
import type { Sandbox } from '../../src/index.ts'
import { test } from '../../src/vitest.ts'

describe('toHaveFinishedScript', () => {
  const ask = ({ apiKey, baseUrl }: Sandbox, ...input: OpenAI.Responses.ResponseInputItem[]) =>
    new OpenAI({ apiKey, baseURL: baseUrl }).responses.create({ model: 'aurora/dawn-2', input })
  const user = (content: string) => ({ role: 'user' as const, content })

  test('passes when every conversation has reached the end of its script, and no further', async ({
    sandbox,
  }) => {
    sandbox.script([{ text: 'Hello' }])
    const { output } = await ask(sandbox, user('Hi'))
    expect(sandbox).toHaveFinishedScript()
    expect(() => expect(sandbox).not.toHaveFinishedScript()).toThrow(
      'Expected at least one unfinished script, but all are finished.',
    )
    const history = [user('Hi'), ...(output as OpenAI.Responses.ResponseInputItem[])]
    await expect(ask(sandbox, ...history, user('More'))).rejects.toThrow('there is no turn 2')
    expect(() => expect(sandbox).toHaveFinishedScript()).toThrow(
      'script() is at turn 1 of 1 in conversation 1; expected no turn 2: the script has 1 turn',
    )
  })

  test('names what the first turn of a script expects if no request has started it', async ({ sandbox }) => {
    sandbox.script([{ expect: { input: 'tides' }, text: 'At six' }])
    await expect(ask(sandbox, user('Hi'))).rejects.toThrow()
    expect(() => expect(sandbox).toHaveFinishedScript()).toThrow(
      "script() has not started: turn 1 of 1 expected a user message containing 'tides', but received 'Hi'",
    )
  })

  test('lists the remaining turns and how the last request differed', async ({ sandbox }) => {
    expect(() => expect(sandbox).toHaveFinishedScript()).toThrow('Expected a script, but none is active')
    sandbox.script([{ text: 'Hello' }, { expect: { input: 'tides' }, text: 'At six' }])
    sandbox.script([{ text: 'Never asked for' }])
    const { output } = await ask(sandbox, user('Hi'))
    const history = [user('Hi'), ...(output as OpenAI.Responses.ResponseInputItem[])]
    await expect(ask(sandbox, ...history, user('And the moon?'))).rejects.toThrow(
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
