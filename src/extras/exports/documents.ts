/** OpenAPI documents for the mocked API and the control API. */
import * as z from 'zod'
import { gatewayOperation } from '../../control/operation.ts'
import type { GatewayCore } from '../../gateway/gateway.ts'
import type { AnyOperation } from '../../operation.ts'
import { toDocument } from './openapi.ts'

export function apiDocument({ operations }: Pick<GatewayCore, 'operations'>): object {
  return toDocument({
    title: 'Model Gateway API',
    description:
      'The Model Gateway API as mocked by Understudy. The specification defines only the statuses 200 and 500. Every other reply, and every field beyond the specification, is an assumption: see docs/assumptions.md. Unsupported methods get a 405 in the error envelope; `Allow` lists the supported ones.',
    base: '/api/v1',
    described: operations,
    isEmulated: true,
    bearer: "API key. A sandbox's key selects that sandbox.",
  })
}

function controlDocument(described: readonly AnyOperation[]): object {
  return toDocument({
    title: 'Understudy control API',
    description:
      'Controls and inspects a running Understudy server: sandboxes, scenarios, journal, database and clock.',
    base: '/__understudy',
    described,
    isEmulated: false,
    bearer:
      'Token passed to the server or printed at startup. Not required on loopback unless `--token` is set.',
  })
}

export const getControlDocument = gatewayOperation('getControlDocument', 'GET /openapi.json', {
  doc: { summary: 'Read this document', tag: 'Internal' },
  output: z.looseObject({ openapi: z.string() }),
  resolve: ({ operations }) => controlDocument(operations),
})
