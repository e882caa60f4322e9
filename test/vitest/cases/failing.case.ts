/** Failing tests, whose output ../failing.slow.test.ts checks. */
import { expect, test } from '../../../src/vitest.ts'

const key = { headers: { authorization: 'Bearer any' } }

/** Runs work outside of any test, like a queue. */
const queue = (() => {
  const { promise, resolve } = Promise.withResolvers<() => Promise<unknown>>()
  return { add: resolve, done: promise.then((work) => work()) }
})()

test('fails with an unmatched request', async ({ sandbox }) => {
  sandbox.fail(529, { times: 1 })
  for (const path of ['/providers', '/provider']) {
    await fetch(`${sandbox.baseUrl}${path}`, key).catch(() => {})
  }
  expect(sandbox).toHaveReceived('getPreset')
})

test('loses a call to the default sandbox', async ({ sandbox }) => {
  queue.add(() =>
    fetch('https://models.example/api/v1/providers', { headers: { authorization: 'Bearer sk-fixed-1234' } }),
  )
  await queue.done
  expect(sandbox).toHaveReceived('listProviders')
})

test('waits for a delayed reply', async ({ sandbox }) => {
  sandbox.use({ on: 'listProviders', fault: { name: 'latency', ms: '1h' } })
  void fetch(`${sandbox.baseUrl}/providers`, key)
  while (sandbox.journal.unanswered().length === 0) await new Promise(setImmediate)
  expect(sandbox).toHaveReceived('listProviders')
})

test('waits at a gate', async ({ sandbox }) => {
  const gate = sandbox.hold('listProviders')
  void fetch(`${sandbox.baseUrl}/providers`, key)
  await gate.arrived()
  expect(sandbox).toHaveReceived('listProviders')
})

test('succeeds without output', async ({ sandbox }) => {
  await fetch(`${sandbox.baseUrl}/presets/none`, key)
})

test('reads options from the configuration', ({ gateway }) => {
  expect(gateway.options.seed).toBe('from the configuration')
})

// Without verdicts, `test` has no `survives`.
Reflect.get(test, 'survives')?.call(
  test,
  'fails as a sweep',
  (target: { baseUrl: string; fetch: typeof fetch }) =>
    target.fetch(`${target.baseUrl}/providers`, key).then(Boolean),
  { faults: ['status-503'], accepted: ['a failure that never occurs'] },
)
