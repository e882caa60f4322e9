import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { eventStream, ok, type Reply } from '../../src/http/reply.ts'
import { defineOperation } from '../../src/operation.ts'

const declared = {
  method: 'get',
  path: '/colours',
  output: z.object({ data: z.array(z.object({ name: z.string() })) }),
} as const

const red = Object.freeze({ name: 'red' })

describe('What a resolver returns', () => {
  it('has the type that its response schema takes, frozen rows included, or is a stream', () => {
    const operations = [
      defineOperation({ ...declared, id: 'listColours', resolve: () => ok({ data: [{ name: 'red' }] }) }),
      defineOperation({
        ...declared,
        id: 'listColours',
        resolve: async () => ok(Object.freeze({ data: Object.freeze([red]) })),
      }),
      defineOperation({ ...declared, id: 'listColours', resolve: () => eventStream([]) }),
      // @ts-expect-error: a colour without its name
      defineOperation({ ...declared, id: 'listColours', resolve: () => ok({ data: [{}] }) }),
      // @ts-expect-error: the same, in a promise
      defineOperation({ ...declared, id: 'listColours', resolve: async () => ok({ data: [{}] }) }),
      // @ts-expect-error: nobody knows what is in it
      defineOperation({ ...declared, id: 'listColours', resolve: (): Reply => ok({ data: [red] }) }),
    ]
    expect(operations.map(({ id }) => id)).toEqual(Array(6).fill('listColours'))
  })
})
