/** Tests that the "Why" tab of an unmatched call names the nearest rule and the field that differs. */
import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../src/scenarios/scenario.ts'
import { call } from '../../call.ts'
import { open } from './browser.ts'
import { startServerAndBrowser } from './server-and-browser.ts'

const setup = startServerAndBrowser({ timeScale: 0 })

const fault = { name: 'status', status: 503 } as const
const hello = { model: 'aurora/dawn-2', input: 'Hello' }
const post = (body: object = hello, headers: Record<string, string> = {}) => ({
  method: 'POST',
  path: '/responses',
  body,
  headers,
})
const get = (path: string) => ({ method: 'GET', path, body: undefined, headers: {} })

/** A rule, a request that does not match it, and the explanation that the page must show. */
const cases: [rule: Rule, asked: ReturnType<typeof post> | ReturnType<typeof get>, said: RegExp][] = [
  [
    { on: 'createResponse', when: { model: 'aurora/dawn-1' }, fault },
    post(),
    /model.*aurora\/dawn-1.*aurora\/dawn-2/,
  ],
  [
    { on: 'createResponse', when: { model: 'borealis/*' }, fault },
    post(),
    /model.*borealis\/\*.*aurora\/dawn-2/,
  ],
  [{ on: 'createResponse', when: { input: 'Goodbye' }, fault }, post(), /input.*Goodbye/],
  [{ on: 'createResponse', when: { input: { matches: '^Bye' } }, fault }, post(), /input.*\^Bye/],
  [{ on: 'createResponse', when: { stream: true }, fault }, post(), /stream/],
  [{ on: 'createResponse', when: { stream: false }, fault }, post({ ...hello, stream: true }), /stream/],
  [
    { on: 'createResponse', when: { headers: { 'x-team': 'blue' } }, fault },
    post(hello, { 'x-team': 'red' }),
    /x-team.*blue.*red/,
  ],
  [{ on: 'createResponse', when: { headers: { 'x-team': 'blue' } }, fault }, post(), /x-team.*blue/],
  [
    { on: 'createResponse', when: { body: { 'metadata.user': 'ada' } }, fault },
    post({ ...hello, metadata: { user: 'bob' } }),
    /metadata\.user.*ada.*bob/,
  ],
  [
    { on: 'createResponse', when: { body: { temperature: 0 } }, fault },
    post({ ...hello, temperature: 1 }),
    /temperature.*0.*1/,
  ],
  [{ on: 'createResponse', when: { body: { tools: { present: true } } }, fault }, post(), /tools/],
  [
    { on: 'createResponse', when: { model: 'aurora/dawn-2', input: 'Goodbye', stream: false }, fault },
    post(),
    /input.*Goodbye/,
  ],
  [{ on: 'createResponse', after: 3, fault }, post(), /skips the first 3 calls, but this is call 1/],
  [{ on: 'createResponse', when: { state: 'paid' }, fault }, post(), /state 'paid'/],
  [
    { on: 'listBenchmarks', when: { query: { source: 'design-source' } }, fault },
    get('/benchmarks?source=index-source'),
    /source.*design-source.*index-source/,
  ],
  [
    { on: 'getPreset', when: { params: { slug: 'summary' } }, fault },
    get('/presets/code-review'),
    /slug.*summary.*code-review/,
  ],
  [
    { on: 'updateWorkspace', when: { params: { id: 'staging' } }, fault },
    { ...post({ name: 'New' }), method: 'PATCH', path: '/workspaces/production' },
    /id.*staging.*production/,
  ],
  [
    { on: 'GET /generations', when: { query: { id: 'gen-1' } }, reply: { body: {} } },
    get('/generations?id=gen-2'),
    /id.*gen-1.*gen-2/,
  ],
  [
    { on: 'POST /chats', when: { body: { model: 'aurora/dawn-1' } }, reply: { body: {} } },
    { ...post(), path: '/chats' },
    /model.*aurora\/dawn-1.*aurora\/dawn-2/,
  ],
]

describe('the Why tab', () => {
  it('names the nearest rule and the differing field', async () => {
    const { page, complaints } = await open(setup.browser, `${setup.server.url}/__understudy/`)
    const wrong: string[] = []
    for (const [index, [rule, { method, path, body, headers }, said]] of cases.entries()) {
      const scenario = `case-${index + 1}`
      // An unrelated rule comes first.
      using _inForce = setup.server.gateway.use({
        name: scenario,
        rules: [
          { on: 'listProviders', fault },
          { ...rule, name: 'meant' },
        ],
      })
      const reply = await call(setup.server, `${method} ${path}`, { body, headers })
      const id = reply.headers.get('x-request-id') ?? ''
      await page.evaluate((call) => {
        location.hash = `#/calls?call=${call}&in=default`
      }, id)
      await page.locator('.detail', { hasText: id }).locator('.why').waitFor()
      const missed = await page.locator('.why .card:not(.applied)').allTextContents()
      const [first = ''] = missed
      if (missed.length !== 1 || !first.includes(`rule 2 (meant) of '${scenario}'`) || !said.test(first))
        wrong.push(`${scenario}: ${missed.join(' | ') || 'no near miss'}`)
    }
    expect(wrong).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })
})
