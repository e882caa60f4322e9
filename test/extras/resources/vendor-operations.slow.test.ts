/**
 * Tests that each of the vendor's operations has the kind listed in the README. The document is read from the
 * published SDK, which has all but two operations.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import { call } from '../../call.ts'
import { type Line, sdkDocument } from './sdk-document.ts'
import { type Kind, vendorOperations } from './vendor-operations.ts'

/** The SDK sends messages to POST /responses, and omits a removed operation. */
const withoutMethod = ['POST /messages', 'POST /credits/coinbase']

let lines: readonly Line[]
let gateway: ReturnType<typeof createGateway>
beforeAll(async () => {
  const { lines: all, document } = await sdkDocument()
  lines = all
  // The options belong to different extras. The spread lets the file compile without one of them.
  const options: GatewayOptions = { timeScale: 0, ...{ dialect: 'openrouter', openapi: document } }
  gateway = createGateway(options)
})

const shapeOf = (line: string) => line.replace(/\{[^}]*\}/g, '{}')

it('the table lists 97 operations, all of them in the SDK, and at least 45 stateful or computed', () => {
  const known = new Set(lines.map(shapeOf))
  const names = vendorOperations.map(([line]) => line)
  expect(new Set(names.map(shapeOf)).size).toBe(97)
  expect(names.filter((line) => !known.has(shapeOf(line)))).toEqual(withoutMethod.toReversed())
  const countOf = (wanted: Kind) => vendorOperations.filter(([, kind]) => kind === wanted).length
  expect(countOf('stateful') + countOf('computed')).toBeGreaterThanOrEqual(45)
})

describe('the operation', () => {
  it.each(vendorOperations)('%s is %s, implemented by %s', async (line, kind, from) => {
    const [method = '', path = ''] = line.split(' ')
    const { operation } = gateway.router.find(method, path.replace(/\{[^}]*\}/g, 'a'))
    const origin = operation?.doc?.isDescribed
      ? 'document'
      : operation?.marks?.extension
        ? 'extension'
        : 'core'
    expect(origin).toBe(from === 'core' || from === 'document' ? from : 'extension')
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} }
    const reply = await call(gateway, `${method} ${path.replace(/\{[^}]*\}/g, 'a')}`, body)
    const isSample = reply.headers.get('x-understudy-assumptions')?.includes('documentSample') ?? false
    expect(isSample).toBe(kind === 'sample')
    expect(reply.status === 410).toBe(kind === 'refused')
    expect(reply.status).not.toBe(405)
    expect(reply.status).toBeLessThan(500)
  })
})
