import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'
import { open } from '../call.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const other = '0af7651916cd43dd8448eb211c80319c'
const parent = (id: string, span = '00f067aa0ba902b7') => `00-${id}-${span}-01`

it('an entry names the trace of its traceparent, and the journal finds calls by it', async () => {
  const { fetch, journal } = createGateway()
  for (const traceparent of [parent(trace), parent(other), null, parent(trace, '1111111111111111')])
    await open({ fetch }, 'GET /providers', { headers: { traceparent } })
  expect(journal.entries().map(({ traceId }) => traceId)).toEqual([trace, other, null, trace])
  const found = journal.trace(trace)
  expect(found.map(({ headers }) => headers['traceparent'])).toEqual([
    parent(trace),
    parent(trace, '1111111111111111'),
  ])
  expect(journal.trace(parent(trace))).toEqual(found)
  expect(journal.trace('f'.repeat(32))).toEqual([])
})

it.each([
  '',
  'x',
  `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  `00-${trace}`,
  `00-${trace.toUpperCase()}-00f067aa0ba902b7-01`,
])('a traceparent that is none belongs to no trace: %j', async (traceparent) => {
  const { fetch, journal } = createGateway()
  await open({ fetch }, 'GET /providers', { headers: { traceparent } })
  expect(journal.entries()[0]?.traceId).toBeNull()
})

it('calls are found by trace from afar too', async () => {
  await using server = await startServer()
  const remote = await connectGateway(server.url)
  await open(server, 'GET /providers', { headers: { traceparent: parent(trace) } })
  await open(server, 'GET /providers')
  expect((await remote.journal.trace(trace)).map(({ traceId }) => traceId)).toEqual([trace])
  expect(await remote.journal.trace(parent(trace))).toHaveLength(1)
})
