import { expect, it } from 'vitest'
import { resend } from '../../src/control/journal-operations.ts'
import { Gateway } from '../../src/index.ts'
import type { GatewayOptionsInput } from '../../src/sandbox/options-input.ts'

const base = 'https://gateway.example/api/v1'

/** Sends a request, resends it, and returns both calls as recorded in the journal. */
async function twice(options: GatewayOptionsInput, url: string, init: RequestInit = {}) {
  const gateway = new Gateway({ timeScale: 0, ...options })
  const sandbox = gateway.sandboxes.default
  await (await gateway.fetch(url, init)).text()
  const [first] = gateway.journal.entries()
  const record = sandbox.journal.record(first?.id ?? '')
  const again = await resend(gateway, sandbox, record)
  expect(gateway.journal.entries().map(({ id }) => id)).toEqual([first?.id, again.id])
  const summary = ({ status, path, search, headers, requestBody }: typeof record) => ({
    status,
    path,
    search,
    authorization: headers['authorization'],
    body: requestBody.text,
  })
  return [summary(record), summary(again), sandbox.apiKey] as const
}

it('resend() repeats a call in its sandbox with its query, headers and body', async () => {
  const body = '{"name":"N"}'
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
  const [first, again] = await twice({}, `${base}/workspaces/production?a=1`, {
    method: 'PATCH',
    headers,
    body,
  })
  expect(first).toMatchObject({ status: 200, search: '?a=1', body, path: '/api/v1/workspaces/production' })
  expect(again).toEqual({ ...first, path: '/sandboxes/default/api/v1/workspaces/production' })
  const [elsewhere, once] = await twice({}, 'https://gateway.example/other', { headers })
  expect(elsewhere).toMatchObject({ status: 404, path: '/other' })
  expect(once).toEqual(elsewhere)
})

it.each<[GatewayOptionsInput, Record<string, string>, number, number, string]>([
  // A call that has a key is resent with the same key, even if it was rejected.
  [{}, { authorization: 'Bearer any' }, 200, 200, 'Bearer any'],
  [{ apiKeys: ['one'] }, { authorization: 'Bearer other' }, 401, 401, 'Bearer other'],
  [{}, { 'x-api-key': 'any' }, 401, 401, 'none'],
  [{ apiKeys: ['one', 'two'] }, {}, 401, 200, 'Bearer one'],
  [{}, {}, 401, 200, 'own'],
])(
  'with options %j, a call with headers %j returns %i and, when resent, %i',
  async (options, headers, before, after, key) => {
    const [first, again, apiKey] = await twice(options, `${base}/providers`, { headers })
    expect([first.status, again.status]).toEqual([before, after])
    expect(again.authorization).toBe(key === 'own' ? `Bearer ${apiKey}` : key === 'none' ? undefined : key)
  },
)

it('resend() rejects a call whose body was truncated in the journal', async () => {
  const ask = twice(
    { limits: { journalEntries: 9, journalBytes: 99_999, journalBodyBytes: 1 } },
    `${base}/responses`,
    {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: '{}',
    },
  )
  await expect(ask).rejects.toMatchObject({
    status: 409,
    message: expect.stringMatching(/^The body of '\S+' is incomplete: it was too large for the journal$/),
  })
})

it('resend() delivers the whole reply', async () => {
  const gateway = new Gateway({ timeScale: 0 })
  const sandbox = gateway.sandboxes.default
  await gateway.fetch(`${base}/providers`, { headers: { authorization: 'Bearer any' } })
  const [first] = sandbox.journal.entries()
  await resend(gateway, sandbox, sandbox.journal.record(first?.id ?? ''))
  const deliveries = sandbox.journal.entries().map(({ delivery, responseBody }) => [delivery, responseBody])
  expect(deliveries).toEqual(Array(2).fill(['complete', first?.responseBody]))
})
