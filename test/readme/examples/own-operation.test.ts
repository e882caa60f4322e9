import { createGateway, defineOperation, GatewayError, ok } from 'gateway-understudy'
import { expect, test } from 'vitest'
import * as z from 'zod'

const getReport = defineOperation({
  id: 'getReport',
  method: 'get',
  path: '/reports/{id}',
  doc: { summary: 'One report', tag: 'Reports' },
  input: { params: z.object({ id: z.string().min(3) }) },
  output: z.object({ data: z.object({ id: z.string(), pages: z.int() }) }),
  resolve({ params }) {
    if (params.id === 'none') throw new GatewayError(404)
    return ok({ data: { id: params.id, pages: 12 } })
  },
})

const gateway = createGateway({ operations: [getReport] })
const get = (path: string) =>
  gateway.fetch(`https://gateway.example/api/v1${path}`, { headers: { authorization: 'Bearer any' } })

test('a custom operation replies, validates and fails on demand', async () => {
  expect(await (await get('/reports/r-17')).json()).toEqual({ data: { id: 'r-17', pages: 12 } })
  expect((await get('/reports/no')).status).toBe(400)
  using _active = gateway.fail(503, { on: getReport.id })
  expect((await get('/reports/r-17')).status).toBe(503)
})
