import { expect, it } from 'vitest'
import { apiChange, nextVersion } from './api-change.ts'

const before = `createGateway: (options?: GatewayOptions | undefined) => Gateway
interface FailOptions
FailOptions.times?: number | undefined
type FaultName = "stream-cut"
     | "timeout"
`
const replaced = (from: string, to: string) => apiChange(before, before.replace(from, to))

it('apiChange() finds no change between equal reports', () => {
  expect(apiChange(before, before)).toEqual({ kind: 'none', labels: [] })
})

it.each([
  ['a removed export', before.split('\n')[0] ?? '', '', 'createGateway'],
  ['a narrowed option', 'number | undefined', 'undefined', 'FailOptions.times?'],
  [
    'a new required field',
    'interface FailOptions',
    'interface FailOptions\nFailOptions.after: number',
    'FailOptions.after',
  ],
  ['a changed return type', '=> Gateway', '=> Promise<Gateway>', 'createGateway'],
  ['a renamed fault', '"stream-cut"', '"cut-stream"', 'type FaultName'],
])('apiChange() classifies %s as breaking', (_, from, to, label) => {
  expect(replaced(from, to)).toEqual({ kind: 'breaking', labels: [label] })
})

it('apiChange() classifies new exports, optional fields and union members as additions', () => {
  const after = before
    .replace('"timeout"', '"timeout"\n     | "truncated"')
    .replace('interface FailOptions', 'interface FailOptions\nFailOptions.after?: number | undefined')
  expect(apiChange(before, `parse: () => void\n${after}`)).toEqual({
    kind: 'addition',
    labels: ['parse', 'FailOptions.after?', 'type FaultName'],
  })
})

it.each([
  ['1.4.2', 'breaking', '2.0.0'],
  ['1.4.2', 'addition', '1.5.0'],
  ['1.4.2', 'none', '1.4.3'],
  ['0.4.2', 'breaking', '0.5.0'],
  ['0.4.2', 'addition', '0.4.3'],
] as const)('nextVersion(%j, %j) returns %j', (released, kind, next) => {
  expect(nextVersion(released, kind)).toBe(next)
})
