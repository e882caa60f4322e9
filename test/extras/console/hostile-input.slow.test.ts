/**
 * Tests that untrusted content from clients is shown as text: no script runs, no request is sent to another
 * host, and the page's content security policy reports no violation.
 */
import type { Page } from '@playwright/test'
import { describe, expect, it } from 'vitest'
import { call } from '../../call.ts'
import { open } from './browser.ts'
import { startServerAndBrowser } from './server-and-browser.ts'

/** If one of these ran, it would call `alert`, set `window.owned` or send a request to `evil.example`. */
const payloads = [
  '<script>window.owned=1</script>',
  '<img src=x onerror=window.owned=1>',
  '<svg onload=window.owned=1>',
  '<svg><script>window.owned=1</script></svg>',
  '<iframe src="javascript:parent.owned=1"></iframe>',
  '<iframe srcdoc="<script>parent.owned=1</script>"></iframe>',
  '<a href="javascript:window.owned=1">x</a>',
  'javascript:window.owned=1',
  'data:text/html,<script>window.owned=1</script>',
  '"><script>alert(1)</script>',
  "'-alert(1)-'",
  ['`$', '{alert(1)}`'].join(''),
  '{{constructor.constructor("alert(1)")()}}',
  '<details open ontoggle=alert(1)>',
  '<body onload=alert(1)>',
  '<video><source onerror=alert(1)></video>',
  '<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>',
  '<link rel=stylesheet href=https://evil.example/x.css>',
  '<style>@import "https://evil.example/x.css";*{background:url(https://evil.example/y)}</style>',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<base href=https://evil.example/>',
  '<form action=https://evil.example/><button>x</button></form>',
  '<img src=https://evil.example/pixel>',
  '</textarea><script>window.owned=1</script>',
  '</pre></section><script>window.owned=1</script>',
  '</title><script>window.owned=1</script>',
  '<template><script>window.owned=1</script></template>',
  '\u202e<script>window.owned=1</script>\u2028',
  '<input autofocus onfocus=alert(1)>',
  '__proto__',
]

const setup = startServerAndBrowser()

const readable = (text: string) => encodeURIComponent(text)

/** Puts a payload in every field that clients control. Returns the calls' ids. */
async function plant(payload: string): Promise<string[]> {
  const { gateway, baseUrl } = setup.server
  const ids: string[] = []
  const headers = {
    'x-payload': readable(payload).replaceAll('%20', ' ').slice(0, 300),
    'x-raw': payload.replace(/[^\x20-\x7e]/g, ''),
  }
  const ask = async (line: string, body?: object) => {
    const reply = await call({ baseUrl }, line, { body, headers })
    ids.push(reply.headers.get('x-request-id') ?? '')
  }
  gateway.use({
    name: `hostile-${payloads.indexOf(payload)}`,
    description: payload,
    rules: [
      {
        name: payload,
        on: 'createResponse',
        when: { body: { 'metadata.planted': payload } },
        reply: { text: payload.replaceAll('{{', '{ {') },
      },
      {
        name: `${payload} raw`,
        on: 'createResponse',
        when: { body: { 'metadata.raw': payload } },
        reply: { frames: [{ event: { type: payload, delta: payload } }, { data: payload }, { done: true }] },
      },
    ],
  })
  const question = {
    model: `aurora/${payload}`,
    instructions: payload,
    input: [{ role: 'user', content: payload }],
    [payload]: payload,
  }
  await ask(`GET /${readable(payload)}?${readable(payload)}=${readable(payload)}`)
  await ask('POST /responses', question)
  await ask('POST /responses', { ...question, metadata: { planted: payload } })
  await ask('POST /responses', { ...question, metadata: { raw: payload }, stream: true })
  const number = payloads.indexOf(payload)
  await gateway.db.workspaces.create({
    ...(await gateway.db.workspaces.get('production')),
    id: `00000000-0000-4000-8000-0000000000${String(number).padStart(2, '0')}`,
    slug: `hostile-${number}`,
    name: payload.slice(0, 100),
    description: payload,
  } as never)
  return ids
}

/** Navigates within the page, and waits for a text or label. */
async function look(page: Page, hash: string, text: string): Promise<void> {
  await page.evaluate((next) => {
    location.hash = next
  }, hash)
  await page.getByText(text).or(page.getByLabel(text)).first().waitFor()
}

describe('the console', () => {
  it('runs none of 30 hostile payloads in text, headers, names, events, rows and YAML', async () => {
    expect(payloads).toHaveLength(30)
    const { page, complaints } = await open(setup.browser, `${setup.server.url}/__understudy/`)
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
        console.error(`policy: ${violatedDirective} ${blockedURI}`)
      })
    })
    await page.reload()
    const owned: string[] = []
    const check = async (payload: string) => {
      if (await page.evaluate(() => 'owned' in window)) owned.push(payload)
    }
    for (const payload of payloads) {
      const [unmatched, plain, scripted, streamed] = await plant(payload)
      for (const [id, tab] of [
        [unmatched, 'why'],
        [plain, 'request'],
        [scripted, 'reply'],
        [streamed, 'stream'],
        [streamed, 'raw'],
      ]) {
        await look(page, `#/calls?call=${id}&in=default&tab=${tab}`, id ?? '')
        await check(payload)
      }
    }
    for (const [hash, text] of [
      ['#/calls', '/responses'],
      ['#/sandboxes', 'Base URL'],
      ['#/data?collection=workspaces', 'hostile-29'],
      ['#/scenarios', 'hostile-29'],
    ] as const) {
      await look(page, hash, text)
      await check(hash)
    }
    // Puts the payload in YAML, valid and invalid.
    await look(page, '#/scenarios', 'Scenario (YAML or JSON)')
    const text = page.getByLabel('Scenario (YAML or JSON)')
    for (const payload of payloads) {
      await text.fill(`name: ${JSON.stringify(payload)}\nrules: [${payload}`)
      await text.fill(
        `name: ${JSON.stringify(payload)}\nrules:\n  - on: ${JSON.stringify(payload)}\n    fault: ${JSON.stringify(payload)}\n`,
      )
      await page
        .getByRole('button', { name: /^Line / })
        .first()
        .waitFor()
      await check(payload)
    }
    // Puts the payload in rules and rows.
    for (const [index, payload] of payloads.entries()) {
      const rule = {
        name: payload,
        on: payload,
        [payload]: payload,
        when: { model: [payload], headers: { [payload]: payload }, body: { [payload]: { equals: payload } } },
        reply: { frames: [{ data: payload }, { event: { type: payload } }] },
      }
      await look(page, '#/scenarios', 'Scenario (YAML or JSON)')
      await text.fill(JSON.stringify({ name: payload, description: payload, rules: [rule, payload] }))
      await page
        .getByRole('button', { name: /^Line / })
        .first()
        .waitFor()
      await check(payload)
      const row = `00000000-0000-4000-8000-0000000000${String(index).padStart(2, '0')}`
      await look(page, `#/data?collection=workspaces&row=${row}`, 'Record (JSON)')
      await check(payload)
    }
    // Puts the payload in the URL.
    for (const payload of payloads) {
      const text = readable(payload)
      await look(page, `#/calls?call=${text}&in=${text}&q=${text}&sandbox=${text}`, 'No calls match')
      await check(payload)
    }
    await page.reload()
    await page.getByText('No calls match').waitFor()
    await check('reload')
    expect(owned).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })
})
