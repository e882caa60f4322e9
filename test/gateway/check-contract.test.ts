import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { checkContract } from '../../src/gateway/finish.ts'
import { ok, type Reply } from '../../src/http/reply.ts'
import { createGateway, defineOperation } from '../../src/index.ts'
import type { AnyOperation } from '../../src/operation.ts'
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

describe('checkContract()', () => {
  const operation: AnyOperation = {
    id: 'listColours',
    method: 'get',
    path: '/colours',
    output: z.object({ data: z.array(z.string()) }),
    resolve: () => ok({ data: [] }),
  }

  it('serialises a frozen value once', () => {
    const reply = ok(Object.freeze({ data: ['red'] })) as Reply
    const checked = checkContract(operation, reply)
    expect(checked).toEqual({
      ...reply,
      body: {
        kind: 'json',
        value: { data: ['red'] },
        text: '{"data":["red"]}',
        bytes: new TextEncoder().encode('{"data":["red"]}'),
      },
    })
    const again = checkContract(operation, reply)
    expect(again).toEqual(checked)
    expect(Reflect.get(again.body, 'bytes')).toBe(Reflect.get(checked.body, 'bytes'))
  })

  it("checks a value that another operation's check accepted", () => {
    const reply = ok(Object.freeze({ data: ['red'] })) as Reply
    checkContract(operation, reply)
    const other = { ...operation, id: 'countColours', output: z.object({ data: z.int() }) }
    expect(() => checkContract(other, reply)).toThrow('the reply of countColours violates its schema')
  })

  it('returns a reply with any other value unchanged', () => {
    const reply = ok({ data: ['red'] }) as Reply
    expect(checkContract(operation, reply)).toBe(reply)
  })

  it('throws a 500 that lists the violations', () => {
    expect(() => checkContract(operation, ok({ data: [7] }) as Reply)).toThrow(
      expect.objectContaining({
        status: 500,
        message: 'the reply of listColours violates its schema: reply.data[0]: Must be a string, got 7',
      }),
    )
  })
})
