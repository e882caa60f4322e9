import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'

const invalidName = 'id: must be 1 to 64 lowercase letters and digits, with single hyphens in between, got '

it.each([
  ['a', undefined],
  ['a-b-9', undefined],
  ['s', undefined],
  ['s1a', undefined],
  ['a'.repeat(64), undefined],
  ['a'.repeat(65), invalidName],
  ['', invalidName],
  ['A', invalidName],
  ['-a', invalidName],
  ['a-', invalidName],
  ['a--b', invalidName],
  ['a_b', invalidName],
  ['s1', "id: 's1' is reserved for generated ids: choose another"],
])('createSandbox() checks the id %j', (id, message) => {
  const create = () => createGateway().createSandbox({ id })
  if (message === undefined) expect(create().id).toBe(id)
  else expect(create).toThrow(message)
})

describe('the name of a sandbox', () => {
  it.each([
    ['bob', undefined],
    ['', undefined],
    ['a'.repeat(200), undefined],
    ['a'.repeat(201), "name: must be text of at most 200 characters, got 'aaa"],
    [7, 'name: must be text of at most 200 characters, got 7'],
  ])('is checked: %j', (name, message) => {
    const create = () => createGateway().createSandbox({ name: name as string })
    if (message === undefined) expect(create().name).toBe(name)
    else expect(create).toThrow(message)
  })

  it('need not be unique, is not inherited by forks, and cannot be changed', () => {
    const gateway = createGateway()
    const bob = gateway.createSandbox({ id: 'b', name: 'bob' })
    expect(gateway.createSandbox({ name: 'bob' })).not.toBe(bob)
    expect([bob.fork().name, bob.fork('c', 'copy').name, gateway.name]).toEqual([
      undefined,
      'copy',
      undefined,
    ])
    expect(gateway.createSandbox({ fork: bob, name: 'other' }).name).toBe('other')
    expect([gateway.createSandbox({ id: 'b', name: 'bob' }), gateway.createSandbox({ id: 'b' })]).toEqual([
      bob,
      bob,
    ])
    expect(() => gateway.createSandbox({ id: 'b', name: 'alice' })).toThrow('so its name cannot be set')
  })
})
