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

describe("a resolver's return type", () => {
  it("can be the response schema's input type, frozen rows or an event stream", () => {
    const operations = [
      defineOperation({ ...declared, id: 'listColours', resolve: () => ok({ data: [{ name: 'red' }] }) }),
      defineOperation({
        ...declared,
        id: 'listColours',
        resolve: async () => ok(Object.freeze({ data: Object.freeze([red]) })),
      }),
      defineOperation({ ...declared, id: 'listColours', resolve: () => eventStream([]) }),
      // @ts-expect-error: `name` is missing
      defineOperation({ ...declared, id: 'listColours', resolve: () => ok({ data: [{}] }) }),
      // @ts-expect-error: `name` is missing in an asynchronous reply
      defineOperation({ ...declared, id: 'listColours', resolve: async () => ok({ data: [{}] }) }),
      // @ts-expect-error: the content of a plain Reply is unknown
      defineOperation({ ...declared, id: 'listColours', resolve: (): Reply => ok({ data: [red] }) }),
    ]
    expect(operations.map(({ id }) => id)).toEqual(Array(6).fill('listColours'))
  })
})
