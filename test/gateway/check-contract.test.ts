import { expect, it } from 'vitest'
import * as z from 'zod'
import { ok, type Reply } from '../../src/http/reply.ts'
import { createGateway, defineOperation } from '../../src/index.ts'
import { call } from '../call.ts'

function gatewayOf(reply: () => Reply) {
  const listColours = defineOperation({
    id: 'listColours',
    method: 'get',
    path: '/colours',
    summary: 'List colours',
    tag: 'Colours',
    response: z.object({ data: z.array(z.object({ name: z.string() })) }),
    resolve: reply as () => never,
  })
  const gateway = createGateway({ operations: [listColours] })
  return { gateway, ask: () => call(gateway, 'GET /colours') }
}

it('a reply that violates its schema is replaced by a 500 and recorded as a schema violation', async () => {
  const { gateway, ask } = gatewayOf(() => ok({ data: [{ name: 'red' }, { name: 7 }] }))
  const response = await ask()
  expect(response.status).toBe(500)
  const [entry] = gateway.journal.entries()
  expect(entry).toMatchObject({ schemaViolation: true, status: 500 })
  expect(entry?.warnings[0]).toContain(
    'the reply of listColours violates its schema: reply.data[1].name: Invalid input: expected string, received number',
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
