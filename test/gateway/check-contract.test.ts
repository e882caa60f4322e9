import { expect, it } from 'vitest'
import * as z from 'zod'
import { createGateway, defineOperation, ok, type Reply } from '../../src/index.ts'
import { call } from '../call.ts'

function gatewayOf(reply: () => Reply) {
  const listColours = defineOperation({
    id: 'listColours',
    method: 'get',
    path: '/colours',
    doc: { summary: 'List colours', tag: 'Colours' },
    output: z.object({ data: z.array(z.object({ name: z.string() })) }),
    resolve: reply as () => never,
  })
  const gateway = createGateway({ operations: [listColours] })
  return { gateway, ask: () => call(gateway, 'GET /colours') }
}

it('a reply of a custom operation that violates its schema is replaced by a 500, which is not a bug in Understudy', async () => {
  const { gateway, ask } = gatewayOf(() => ok({ data: [{ name: 'red' }, { name: 7 }] }))
  const response = await ask()
  expect(response.status).toBe(500)
  const [entry] = gateway.journal.entries()
  expect(entry).toMatchObject({ schemaViolation: false, status: 500, warnings: [] })
  expect(response.body.error.message).toBe(
    "the reply from resolve() of the 'listColours' operation violates its schema: reply.data[1].name: Must be a string, got 7",
  )
})

it('a valid reply is sent unchanged, even if the same frozen object is returned twice', async () => {
  const colours = Object.freeze({ data: Object.freeze([{ name: 'red' }]) })
  const { gateway, ask } = gatewayOf(() => ok(colours))
  for (const turn of [1, 2]) {
    const response = await ask()
    expect([turn, response.status, response.body]).toEqual([turn, 200, { data: [{ name: 'red' }] }])
  }
  expect(gateway.journal.entries().map(({ schemaViolation }) => schemaViolation)).toEqual([false, false])
})

it("a value that one operation may send is checked again for another operation's schema", async () => {
  const colours = Object.freeze({ data: Object.freeze([{ name: 'red' }]) })
  const list = { method: 'get', output: z.object({ data: z.array(z.object({ name: z.string() })) }) } as const
  const gateway = createGateway({
    operations: [
      defineOperation({ ...list, id: 'listColours', path: '/colours', resolve: () => ok(colours) }),
      defineOperation({
        ...list,
        id: 'countColours',
        path: '/colours/count',
        output: z.object({ data: z.int() }),
        resolve: () => ok(colours as object as { data: number }),
      }),
    ],
  })
  expect((await call(gateway, 'GET /colours')).status).toBe(200)
  expect((await call(gateway, 'GET /colours/count')).status).toBe(500)
})
