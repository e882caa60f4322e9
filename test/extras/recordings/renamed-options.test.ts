/** Tests that the error for a replay option's former name names the current one. */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'

const create = (options: object) => () => createGateway(options as never)

it.each<[now: string, use: () => unknown]>([
  ["'replay.onUnmatchedRecording'", create({ recordings: [], onMiss: 'double' })],
  ["'error'", create({ recordings: [], replay: { onUnmatchedRecording: 'fail' } })],
  ["'simulate'", create({ recordings: [], replay: { onUnmatchedRecording: 'double' } })],
  ["'passthrough'", create({ recordings: [], replay: { onUnmatchedRecording: 'forward' } })],
  ["'replay.ignoreFields'", create({ recordings: [], volatileFields: ['id'] })],
  ["'replay.upstream'", create({ recordings: [], upstream: 'https://gateway.example/api/v1' })],
])('the former name of %s is rejected with an error that names the current one', (now, use) => {
  expect(use).toThrow(new RegExp(`'\\w+' is now ${now}`))
})
