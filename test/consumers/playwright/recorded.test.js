import { expect, test } from 'gateway-understudy/vitest'
import { lastOf, outcomes } from './recorded.js'

test.override({ gatewayOptions: { recordings: 'recordings' } })

test.for(Object.entries(outcomes))(
  'replays a recording with the fault %s',
  async ([name, outcome], { sandbox }) => {
    if (name === 'slow-stream') sandbox.use({ on: 'createResponse', fault: { name, perToken: 20 } })
    else if (name !== 'none') sandbox.use(name)

    expect(await lastOf({ baseURL: 'https://gateway.example/api/v1' })).toBe(outcome)

    expect(sandbox).toHaveUsedAllRules()
    const { rules, warnings } = sandbox.journal.last('createResponse')
    expect(rules[0]).toMatchObject({ kind: 'answer', scenario: expect.stringMatching(/\.recording\.jsonl$/) })
    expect(warnings).toEqual([])
  },
)
