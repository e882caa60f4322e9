import { afterEach, describe, expect, it } from 'vitest'
import { describeAdapters } from '../describe-adapters.ts'

const text = { 'content-type': 'text/plain' }
const refused = [
  { what: 'an unknown path', line: 'POST /nothing', options: { body: { model: 'm' } }, status: 404 },
  { what: 'an unknown method', line: 'PUT /providers', options: { body: { model: 'm' } }, status: 405 },
  {
    what: 'a malformed key',
    line: 'POST /responses',
    options: { body: { model: 'm' }, headers: { authorization: 'us' } },
    status: 401,
  },
  {
    what: 'a content type',
    line: 'POST /responses',
    options: { body: '{"model":"m"}', headers: text },
    status: 415,
  },
  { what: 'a body too large', line: 'POST /responses', options: { body: 'x'.repeat(2000) }, status: 413 },
] as const

describeAdapters(
  'A refusal before an operation is asked',
  { limits: { requestBodyBytes: 1000 } },
  (entrance) => {
    describe.each(refused)('of $what', ({ line, options, status }) => {
      // A call without a key of a sandbox is the default sandbox's.
      const sandbox = () => (status === 401 ? entrance.gateway : entrance.sandbox)
      const send = async () => (await entrance.call(line, options)).status
      afterEach(() => entrance.gateway.reset())

      it('stands where no rule answers, also where one is about the operation', async () => {
        sandbox().use({ on: 'createResponse', fault: { name: 'status', status: 503 } })
        expect(await send()).toBe(status)
        expect(sandbox().journal.entries()).toMatchObject([{ status, rule: null }])
      })

      it('is replaced by what a rule for every call answers', async () => {
        sandbox().use({ on: '*', times: 1, fault: { name: 'status', status: 503 } })
        expect([await send(), await send()]).toEqual([503, status])
        expect(sandbox().journal.entries()).toMatchObject([{ status: 503, rule: { rule: 1 } }, { status }])
      })

      it('waits where a rule for every call only waits', async () => {
        sandbox().use({ on: '*', fault: { name: 'latency', ms: 1 } })
        expect(await send()).toBe(status)
        expect(sandbox().unusedRules()).toEqual([])
      })

      it.skipIf(status === 413)('shows its body to rules and to the journal', async () => {
        sandbox().use({ on: '*', when: { model: 'm' }, fault: { name: 'status', status: 503 } })
        expect(await send()).toBe(503)
        expect(sandbox().journal.entries()).toMatchObject([{ rawBody: { text: '{"model":"m"}' } }])
      })
    })

    it('of a sandbox that is gone meets no rule', async () => {
      const gone = entrance.gateway.createSandbox()
      gone.dispose()
      entrance.gateway.use({ on: '*', fault: { name: 'status', status: 503 } })
      const headers = { authorization: `Bearer ${gone.apiKey}` }
      expect((await entrance.call('GET /providers', { headers })).status).toBe(410)
      entrance.gateway.reset()
    })
  },
)
