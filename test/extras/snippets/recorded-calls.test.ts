/**
 * Tests calls exported as code. The snapshot contains the output for all kinds of calls, to review line by line.
 */
import { expect, it } from 'vitest'
import { toCurl, toTest } from '../../../src/extras/snippets/snippets.ts'
import { Gateway } from '../../../src/index.ts'
import type { RuleInput } from '../../../src/scenarios/scenario.ts'

it('recorded calls are exported as a curl command and as tests', async () => {
  const gateway = new Gateway({ timeScale: 0 })
  const base = 'https://gateway.example/api/v1'
  const call = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const controller = new AbortController()
    try {
      const response = await gateway.fetch(path.startsWith('/') ? base + path : path, {
        method,
        headers: { authorization: 'Bearer secret-key', 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
        signal: controller.signal,
      })
      if (headers['x-leave']) controller.abort()
      await response.text()
    } catch {
      // The call was aborted, as its export shows.
    }
  }
  const question = (more: object = {}) => JSON.stringify({ model: 'aurora/dawn-2', input: "It's", ...more })
  await call('GET', '/providers')
  await call('GET', '/benchmarks?max_results=1&api_key=abc', undefined, {
    'x-own': "it's",
    accept: 'a',
    'user-agent': 'b',
  })
  await call('PATCH', '/workspaces/production', '{ "name": "N" }')
  await call('PATCH', '/workspaces/production', '{"name":"\u2028</script>","slug":"BAD"}')
  await call('PATCH', '/workspaces/production', 'no JSON')
  await call('POST', '/responses', question())
  await call('POST', '/responses', question({ stream: true, api_key: 'abc' }))
  await call('GET', `/nowhere/\`$\{1}\`\\`)
  await call('GET', 'https://gateway.example/other?a=1')
  await call('GET', '/presets/none')
  await call('GET', '/providers', undefined, { 'x-understudy-scenario': 'provider-outage' })
  {
    using _ = gateway.use('flaky')
    await call('GET', '/providers')
  }
  const rules: RuleInput[] = [
    { on: 'createResponse', reply: { text: 'One\nTwo' } },
    { on: '*', faults: ['latency', 'connection-reset'] },
    { on: 'GET /own/path', reply: { body: [1] } },
    { on: 'GET /own/path', reply: { body: { 'a b': 1 } } },
    { on: 'GET /own/path', reply: { body: {}, status: 418 } },
    { on: 'createResponse', fault: { name: 'stream-cut', atEvent: 1 } },
    { on: 'createResponse', fault: { name: 'stream-stall', atEvent: 1 } },
  ]
  for (const rule of rules) {
    using _ = gateway.use(rule)
    const leaves = rule === rules.at(-1)
    await call('POST', '/responses', question({ stream: true }), leaves ? { 'x-leave': 'now' } : {})
    await call('GET', '/own/path')
  }
  const site = { baseUrl: base, origin: 'https://gateway.example', apiKey: 'a-key' }
  const records = gateway.journal.entries().map(({ id }) => gateway.sandboxes.default.journal.record(id))
  const printed = records.flatMap((record) => {
    const test = toTest(record, 'vitest')
    const other = toTest(record, 'playwright')
      .split('\n')
      .filter((line) => !test.split('\n').includes(line))
    return [
      `# ${record.method} ${record.path}${record.search} ${record.status} ${record.delivery}\n`,
      toCurl(record, site),
      test,
      `${other.join('\n')}\n`,
    ]
  })
  await expect(printed.join('\n')).toMatchFileSnapshot('calls.txt')
})
