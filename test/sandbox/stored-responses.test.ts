import { expect, it } from 'vitest'
import { StoredResponses } from '../../src/sandbox/memory.ts'

const item = (id: string, more: object = {}) => ({ id, ...more })
const keys = (stored: StoredResponses, ...ids: string[]) => ids.filter((id) => stored.find(id))

it('StoredResponses stores a copy of a conversation, and replaces it if it is stored again', () => {
  const stored = new StoredResponses()
  const items = [item('a'), { text: 'x' }, { id: 7 }]
  stored.keep('r', items)
  items.pop()
  expect(stored.find('r')).toEqual([{ id: 'a' }, { text: 'x' }, { id: 7 }])
  expect(stored.find('s')).toBeUndefined()
  stored.keep('r', [item('b')])
  expect(stored.find('r')).toEqual([{ id: 'b' }])
  expect([...stored.items(['a', 'b', '7'])]).toEqual([['b', { id: 'b' }]])
})

it('StoredResponses finds items by id, in the newest conversation that contains them', () => {
  const stored = new StoredResponses()
  stored.keep('r', [item('a'), item('b')])
  stored.keep('s', [item('b', { new: true }), item('c')])
  expect([...stored.items(['b', 'x'])]).toEqual([['b', { id: 'b', new: true }]])
  expect([...stored.items(['a']).keys()]).toEqual(['a'])
})

it('StoredResponses keeps items of a newer conversation when an older one is replaced', () => {
  const stored = new StoredResponses()
  stored.keep('r', [item('a')])
  stored.keep('s', [item('a', { new: true })])
  stored.keep('r', [item('b')])
  expect(stored.items(['a', 'b']).get('a')).toEqual({ id: 'a', new: true })
})

it('StoredResponses copies are independent', () => {
  const stored = new StoredResponses()
  stored.keep('r', [item('a')])
  const copy = stored.copy()
  copy.keep('s', [item('b')])
  stored.keep('t', [item('c')])
  expect([keys(stored, 'r', 's', 't'), keys(copy, 'r', 's', 't')]).toEqual([
    ['r', 't'],
    ['r', 's'],
  ])
  expect([...copy.items(['a'])]).toEqual([['a', { id: 'a' }]])
})

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
