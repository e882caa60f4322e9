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
    what: 'an unsupported content type',
    line: 'POST /responses',
    options: { body: '{"model":"m"}', headers: text },
    status: 415,
  },
  { what: 'an oversized body', line: 'POST /responses', options: { body: 'x'.repeat(2000) }, status: 413 },
] as const

describeAdapters(
  'requests rejected before they reach an operation',
  { limits: { requestBodyBytes: 1000 } },
  (entrance) => {
    it('get a 404 if a rule names the unknown path, but does not match', async () => {
      const { sandbox } = entrance
      sandbox.use({ on: 'POST /nothing', when: { model: 'other' }, fault: { name: 'status', status: 503 } })
      const reply = await entrance.call('POST /nothing', { body: { model: 'm' } })
      expect([reply.status, reply.body.error.message]).toEqual([
        404,
        'Resource not found: no operation handles POST /nothing, and its rule did not apply',
      ])
      expect(sandbox.journal.entries()).toMatchObject([{ status: 404, rules: [] }])
    })

    it('get a 404 that says so if a rule for the unknown path has no reply', async () => {
      entrance.sandbox.use({ on: 'GET /reports/7', fault: { name: 'latency', ms: 0 } })
      const reply = await entrance.call('GET /reports/7')
      expect([reply.status, reply.body.error.message]).toEqual([
        404,
        'Resource not found: no operation handles GET /reports/7, and its rule has no reply: add reply: { body: {} }',
      ])
    })

    describe.each(refused)('$what', ({ line, options, status }) => {
      // Requests without a sandbox key are handled by the default sandbox.
      const sandbox = () => (status === 401 ? entrance.gateway : entrance.sandbox)
      const send = async () => (await entrance.call(line, options)).status
      afterEach(() => entrance.gateway.reset())

      it('is rejected although a rule matches the operation', async () => {
        sandbox().use({ on: 'createResponse', fault: { name: 'status', status: 503 } })
        expect(await send()).toBe(status)
        expect(sandbox().journal.entries()).toMatchObject([{ status, rules: [] }])
      })

      it('gets the reply from a rule that matches every request', async () => {
        sandbox().use({ on: '*', times: 1, fault: { name: 'status', status: 503 } })
        expect([await send(), await send()]).toEqual([503, status])
        expect(sandbox().journal.entries()).toMatchObject([
          { status: 503, rules: [{ index: 1 }] },
          { status },
        ])
      })

      it('is rejected after the delay of a latency rule that matches every request', async () => {
        sandbox().use({ on: '*', fault: { name: 'latency', ms: 1 } })
        expect(await send()).toBe(status)
        expect(sandbox().unusedRules()).toEqual([])
      })

      it.skipIf(status === 413)('has a body that rules and the journal can see', async () => {
        sandbox().use({ on: '*', when: { model: 'm' }, fault: { name: 'status', status: 503 } })
        expect(await send()).toBe(503)
        expect(sandbox().journal.entries()).toMatchObject([{ requestText: { text: '{"model":"m"}' } }])
      })
    })

    it('do not match rules if their key belongs to a disposed sandbox', async () => {
      const gone = entrance.gateway.createSandbox()
      gone.dispose()
      entrance.gateway.use({ on: '*', fault: { name: 'status', status: 503 } })
      const headers = { authorization: `Bearer ${gone.apiKey}` }
      expect((await entrance.call('GET /providers', { headers })).status).toBe(410)
      entrance.gateway.reset()
    })
  },
)
