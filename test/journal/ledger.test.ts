import { expect, it } from 'vitest'
import { Ledger } from '../../src/journal/ledger.ts'
import { noTokens } from '../../src/resources/answer.ts'

it('the ledger counts 1000 models separately, and all further ones together', () => {
  const ledger = new Ledger()
  const add = (index: number) =>
    ledger.add({
      model: `a/${index}`,
      cost: 1,
      ...noTokens,
      inputTokens: 1,
      outputTokens: 1,
    })
  for (let index = 0; index < 1002; index++) add(index)
  add(0)
  const { requests, models } = ledger.read()
  expect([requests, Object.keys(models).length]).toEqual([1003, 1001])
  const requestsOf = (name: string) => models[name]?.requests
  expect(['a/0', 'a/999', 'a/1000', '*'].map(requestsOf)).toEqual([2, 1, undefined, 2])
})
