import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'

const request = (body: object) => ({
  method: 'POST',
  headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'aurora/dawn-2', ...body }),
})
const orphan = {
  input: [
    { role: 'user', content: 'Which tide?' },
    { type: 'function_call_output', call_id: 'gone', output: '1' },
  ],
}
const url = 'http://gateway.test/api/v1/responses'
const message = 'No tool call found for function call output with call_id gone.'

describe('a request that breaks a rule', () => {
  it('is answered with a warning in the journal and in a header', async () => {
    const gateway = createGateway()
    const reply = await gateway.fetch(url, request(orphan))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-understudy-warnings')).toBe(`tool-result-without-call: ${message}`)
    const [entry] = gateway.journal.entries()
    expect(entry?.brokenRules).toEqual([{ rule: 'tool-result-without-call', param: 'input', message }])
    expect(entry?.warnings).toContain(`input: ${message} (rule tool-result-without-call)`)
  })

  it('is refused with strict, in the vendor’s form', async () => {
    const gateway = createGateway({ strict: true })
    const reply = await gateway.fetch(url, request(orphan))
    expect(reply.status).toBe(400)
    expect(await reply.json()).toEqual({
      error: {
        code: 400,
        message,
        type: 'invalid_request_error',
        param: 'input',
        metadata: {
          rule: 'tool-result-without-call',
          violations: [{ path: 'body.input', message, rule: 'tool-result-without-call' }],
        },
      },
    })
    expect(reply.headers.get('x-understudy-assumptions')).toBe('requestRules')
  })

  it('is answered without a warning with onlySpecified', async () => {
    const gateway = createGateway({ onlySpecified: true })
    const input = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Which tide?' }] },
      { type: 'function_call_output', call_id: 'gone', output: '1' },
    ]
    const reply = await gateway.fetch(url, request({ input }))
    expect(reply.status).toBe(200)
    expect(reply.headers.get('x-understudy-warnings')).toBeNull()
    expect(gateway.journal.entries()[0]?.brokenRules).toBeNull()
  })
})
