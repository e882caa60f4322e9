/** Requests before the file's gateway exists. Run by ../failing.slow.test.ts. */
import { beforeAll } from 'vitest'
import { expect, test } from '../../../src/vitest.ts'

const statuses: number[] = []
const send = async () => {
  const headers = { authorization: 'Bearer any' }
  const { status } = await fetch('https://gateway.example/api/v1/providers', { headers })
  statuses.push(status)
}

await send()
beforeAll(send)
test.beforeAll(async ({ server: _ }) => send())

test('the default sandbox receives the requests of the import and of beforeAll', ({ gateway }) => {
  expect(statuses).toEqual([200, 200, 200])
  expect(gateway.journal.calls('listProviders')).toHaveLength(3)
})
