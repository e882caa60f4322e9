import { expect, it } from 'vitest'
import { StoredResponses } from '../../src/sandbox/stored-responses.ts'

const item = (id: string, more: object = {}) => ({ id, ...more })
const keys = (stored: StoredResponses, ...ids: string[]) => ids.filter((id) => stored.find(id))

it('StoredResponses keeps 1,000 conversations and evicts the oldest', () => {
  const stored = new StoredResponses()
  for (let count = 1000; count < 2000; count++) stored.keep(`r${count}`, [item(`i${count}`)])
  expect(keys(stored, 'r1000', 'r1999')).toEqual(['r1000', 'r1999'])
  stored.keep('r2000', [item('i2000')])
  expect(keys(stored, 'r1000', 'r1001', 'r2000')).toEqual(['r1001', 'r2000'])
  expect([...stored.items(['i1000', 'i1001'])].map(([id]) => id)).toEqual(['i1001'])
})

it('StoredResponses keeps 16 MB of conversations and evicts the oldest', () => {
  const half = 8 * 1024 * 1024
  const text = (id: string, length: number) => [
    item(id, { t: 'x'.repeat(length - `[{"id":"${id}","t":""}]`.length) }),
  ]
  const stored = new StoredResponses()
  stored.keep('r', text('a', half))
  stored.keep('s', text('b', half))
  expect(keys(stored, 'r', 's')).toEqual(['r', 's'])
  stored.keep('t', [])
  expect(keys(stored, 'r', 's', 't')).toEqual(['s', 't'])
})
