/** Tests mouse actions in the list of calls and on a single call. */
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { harProblems } from '../../journal/har-problems.ts'
import { launch } from './browser.ts'
import { makeSampleCalls, type SampleCalls } from './sample-calls.ts'

let server: RunningServer
let browser: Browser
let page: Page
let sampleCalls: SampleCalls
beforeAll(async () => {
  browser = await launch()
})
beforeEach(async () => {
  server = await startServer({ latency: { perToken: 5 }, limits: { journalEntries: 12 } })
  sampleCalls = await makeSampleCalls(server)
  const context = await browser.newContext()
  page = await context.newPage()
  await page.goto(`${server.url}/__understudy/`)
  await expect.poll(rows).toBe(10)
  return async () => {
    await context.close()
    await server.close()
  }
})
afterAll(() => browser.close())

const rows = () => page.locator('.rows li').count()

describe('the list of calls', () => {
  it.each([
    ['dawn-2 is:error', 1],
    ['op:createResponse', 4],
    ['op:createResponse status:5xx', 1],
    ['is:aborted', 1],
    ['is:unmatched', 1],
    ['rule:busy-morning#2', 1],
    ['op:create* -status:529', 3],
    ['model:aurora/* stream:true', 2],
    ['body:"harbour master"', 1],
    ['HARBOUR', 1],
    ['arbour', 0],
    ['-harbour stream:true', 1],
    ['input.role:assistant', 1],
    ['-input.role:assistant stream:true', 1],
    ['.code:500', 0],
    ['-body:"harbour master" op:createResponse', 3],
    ['slower:10m', 0],
    ['sandbox:default GET', 5],
    ['unknown:429', 0],
  ])('finds %s, and keeps the search in the URL', async (search, count) => {
    await page.getByLabel('Search calls').fill(search)
    await expect.poll(rows).toBe(count)
    const shared = await page.context().newPage()
    await shared.goto(page.url())
    if (count > 0) await expect.poll(() => shared.locator('.rows li').count()).toBe(count)
    await shared.close()
    await page.getByLabel('Search calls').fill('nothing-has-this')
    // The previous search may also have no results, so an empty list does not show that this search has finished.
    await expect.poll(() => page.url()).toContain('nothing')
    await page.getByRole('link', { name: 'Clear search' }).click()
    await expect.poll(rows).toBe(10)
  })

  it("finds a test's calls by the name of its sandbox, and stays unfiltered after a visit to a record", async () => {
    const sandbox = server.gateway.createSandbox({ name: 'chat > greets Bob' })
    await call({ baseUrl: sandbox.baseUrl }, 'GET /presets/code-review')
    for (const [search, count] of [
      ['bob', 1],
      ['alice', 0],
      ['sandbox:bob', 1],
    ] as const) {
      await page.getByLabel('Search calls').fill(search)
      await expect.poll(rows).toBe(count)
    }
    await page.locator('.rows a').click()
    await page.getByText(`sandbox ${sandbox.id} · chat > greets Bob`).waitFor()
    await page.getByRole('link', { name: 'Edit record code-review' }).click()
    await page.getByText(`of sandbox ${sandbox.id}`).waitFor()
    await page.getByRole('link', { name: 'Calls', exact: true }).click()
    await expect.poll(rows).toBe(11)
    await page.getByLabel('Sandbox', { exact: true }).selectOption(`${sandbox.id} · chat > greets Bob`)
    await page.getByRole('link', { name: 'Sandboxes', exact: true }).click()
    await page.getByRole('heading', { name: 'greets Bob' }).waitFor()
  })

  it.each([
    ['is:warnin', 'is:warning'],
    ['op:createRespons dawn', 'op:createResponse dawn'],
    ['-statsu:429', '-status:429'],
    ['status:teapot', 'status:429'],
    ['model:aurora/dawn', 'model:aurora/dawn-2'],
    ['foo:bar', '.foo:bar'],
    ['temperature:0.7', '.temperature:0.7'],
    ['-status:', '-status:429'],
  ])('flags %s at the field, and offers %s', async (wrong, meant) => {
    const search = page.getByLabel('Search calls')
    await search.fill(wrong)
    const hint = page.locator('.hint')
    await hint.getByText('Did you mean').waitFor()
    expect(await search.getAttribute('aria-invalid')).toBe('true')
    await hint.getByRole('link').click()
    await expect.poll(() => search.inputValue()).toBe(meant)
    await expect.poll(() => hint.textContent()).toBe('')
  })

  it('explains the search in place, until a term is chosen or Escape is pressed', async () => {
    const term = page.getByRole('link', { name: 'is:unmatched' })
    await page.getByLabel('Search help').click()
    await term.click()
    await expect.poll(rows).toBe(1)
    expect(await term.isVisible()).toBe(false)
    await page.getByLabel('Search help').click()
    await page.getByText('a text in a warning, such as for a misspelt field').waitFor()
    await page.keyboard.press('Escape')
    expect(await term.isVisible()).toBe(false)
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Search help')
  })

  it('finds calls with a misspelt field by a word of the warning', async () => {
    await call(server, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hi', temprature: 1 } })
    for (const search of ['warning:unknown', 'is:warning "did you mean"']) {
      await page.getByLabel('Search calls').fill(search)
      await expect.poll(rows).toBe(1)
    }
    await page.locator('.rows').getByText('body.temprature is unknown').waitFor()
  })

  it('sorts by a column in both directions, and groups by conversation', async () => {
    const statuses = () => page.locator('.rows .status').allTextContents()
    await page.getByRole('button', { name: 'Status' }).click()
    await expect.poll(async () => (await statuses())[0]).toBe('529')
    await page.getByRole('button', { name: 'Status' }).click()
    await expect.poll(async () => (await statuses()).at(-1)).toBe('529')
    expect(page.url()).toContain('sort=status')
    await page.getByRole('button', { name: 'Time' }).click()
    expect(await page.getByRole('button', { name: 'Time ↓' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('button', { name: 'Duration' }).click()
    await page.locator('.row', { hasText: '529' }).click()
    await page.getByText('createResponse', { exact: true }).waitFor()
    await page.getByLabel('Group by').selectOption('conversation')
    // A conversation of one call has no heading.
    await expect.poll(() => page.locator('.group').allTextContents()).toEqual(['Other calls 10'])
    await call(server, 'POST /responses', { body: { model: 'aurora/dawn-1', input: 'Say it in one line.' } })
    await expect
      .poll(() => page.locator('.group').allTextContents())
      .toEqual(['default: Say it in one line. 2', 'Other calls 9'])
  })

  it('removes calls that the server has evicted', async () => {
    for (let turn = 0; turn < 5; turn++) await call(server, `GET /presets/later-${turn}`)
    await page.getByText('/presets/later-4').waitFor()
    expect(await rows()).toBe(12)
  })

  it('shows that it searches bodies while the first results are in the list', async () => {
    await page.route('**/body-searches', () => new Promise(() => undefined))
    await page.getByLabel('Search calls').fill('responses')
    await page.locator('.totals', { hasText: 'Searching…' }).waitFor()
  })

  it('compares two selected calls, and exports them as HAR', async () => {
    const clear = () => page.getByRole('button', { name: 'Clear all' }).boundingBox()
    const before = await clear()
    for (const id of [sampleCalls.cut, sampleCalls.conversation])
      await page.locator(`li:has([data-call="${id}"])`).getByRole('checkbox').check()
    expect(await clear()).toEqual(before)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export 2 selected calls' }).click()
    const har = JSON.parse(await readFile(await (await download).path(), 'utf8'))
    expect(harProblems(har)).toEqual([])
    expect(har.log.entries.map(({ _id }: { _id: string }) => _id)).toEqual([
      sampleCalls.cut,
      sampleCalls.conversation,
    ])

    await page.getByRole('link', { name: 'Compare' }).click()
    const request = page.getByRole('region', { name: 'Differences: Request body' })
    await request.getByText('harbour master').waitFor()
    expect(await request.locator('del, ins').count()).toBeGreaterThan(3)
    await page.getByRole('link', { name: 'Close comparison' }).click()
    await page.getByRole('button', { name: 'Deselect' }).click()
  })

  it('keeps a call that arrives while the list is loading', async () => {
    const loaded = Promise.withResolvers<void>()
    await page.route('**/console/changes**', async (route) => {
      const response = await route.fetch()
      await loaded.promise
      await route.fulfill({ response })
    })
    const reply = page.waitForRequest('**/console/changes**')
    await page.reload()
    await reply
    await call(server, 'GET /providers')
    loaded.resolve()
    await expect.poll(rows).toBe(11)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('can be paused, resumed with the calls that arrived in the meantime, and cleared', async () => {
    await page.getByRole('button', { name: 'Pause' }).click()
    await call(server, 'GET /presets/while-paused')
    await page.getByText('Paused', { exact: true }).waitFor()
    const resume = page.getByRole('button', { name: 'Paused: 1 new' })
    await resume.waitFor()
    expect(await rows()).toBe(10)
    await resume.click()
    await expect.poll(rows).toBe(11)
    // A search does not limit what is cleared.
    await page.getByLabel('Search calls').fill('status:529')
    await expect.poll(rows).toBe(1)
    await page.getByRole('button', { name: 'Clear all 11 calls' }).click()
    const dialog = page.getByRole('dialog', { name: 'not only those that match the search' })
    await dialog.getByRole('button', { name: 'Clear all 11 calls' }).click()
    await page.getByText('No calls match').waitFor()
    await page.getByLabel('Search calls').fill('')
    await page.getByText('No calls yet').waitFor()
    expect(server.gateway.journal.entries()).toEqual([])
    await call(server, 'GET /presets/after')
    await expect.poll(rows).toBe(1)
  })
})

describe('the page of a call', () => {
  it('shows its conversation and its answer, and its stream up to any event', async () => {
    await page.locator(`[data-call="${sampleCalls.conversation}"]`).click()
    await page.getByRole('link', { name: 'Request', exact: true }).click()
    await expect
      .poll(() => page.locator('.turns .who').allTextContents())
      .toEqual(['instructions', 'user', 'assistant', 'user'])
    await page.getByRole('link', { name: 'Reply' }).click()
    await page.getByText('And the next one?').first().waitFor()
    await page.getByRole('link', { name: 'Stream', exact: true }).click()
    const whole = await page.locator('.grown').textContent()
    expect(whole?.length).toBeGreaterThan(100)
    await page.getByRole('slider').fill('8')
    await page.getByText('Events: 8 of').waitFor()
    expect(whole?.startsWith((await page.locator('.grown').textContent()) ?? 'none')).toBe(true)
  })

  it("marks a stream's faults on its timeline", async () => {
    const faults = {
      'stream-malformed-event': /^Fault .+ at \+/,
      'stream-duplicate-event': /at \+/,
      'stream-unknown-event': /at \+/,
      'stream-empty-data': /at \+/,
      'stream-sequence-gap': /at \+/,
      'stream-reordered-events': /at \+/,
      'stream-error-event': /at \+/,
      'stream-data-after-done': /at \+/,
      'stream-cut': /at \+/,
      latency: / from the start\.$/,
      'stream-crlf': /^Fault stream-crlf\.$/,
    }
    for (const [fault, mark] of Object.entries(faults)) {
      using _rule = server.gateway.use({ on: 'createResponse', fault: fault as 'latency' })
      const body = { model: 'aurora/dawn-2', input: 'Hello', stream: true }
      const { headers } = await call(server, 'POST /responses', { body })
      await page.goto(
        `${server.url}/__understudy/#/calls?call=${headers.get('x-request-id')}&in=default&tab=stream`,
      )
      const words = (await page.locator('figcaption').textContent()) ?? ''
      expect(/Fault .*$/.exec(words)?.[0]).toMatch(mark)
      expect(await page.locator('path.fault title').allTextContents()).toEqual([fault])
      const shown = fault === 'stream-error-event' ? '200 error' : /^200( cut)?$/
      await page.locator('p.bar .status', { hasText: shown }).waitFor()
      if (fault.endsWith('-event')) expect(await page.locator('.events .tag').textContent()).toBe(fault)
    }
  })

  it('edits a call and sends it again', async () => {
    await page.locator(`[data-call="${sampleCalls.cut}"]`).click()
    await page.setViewportSize({ width: 1280, height: 400 })
    await page.getByRole('button', { name: 'Edit and send again…' }).click()
    const body = page.getByLabel('Body', { exact: true })
    const sent = { ...JSON.parse(await body.inputValue()), model: 'nova/other', input: 'Hello again' }
    await body.fill('{ "model": }')
    await page.locator('label', { hasText: 'Body' }).getByText('Unexpected token').waitFor()
    const send = page.getByRole('button', { name: 'Send', exact: true })
    expect((await send.boundingBox())?.y).toBeGreaterThan(0)
    await page.getByLabel('Headers (JSON)').fill('[]')
    await send.click()
    await page.getByText('Headers must be a JSON object').waitFor()
    await page.getByLabel('Headers (JSON)').fill('{ "content-type": "application/json", "x-turn": "2" }')
    await body.fill(JSON.stringify(sent))
    // The edited request is still there after a visit to the list.
    await page.getByLabel('Close call details').click()
    await page.locator(`[data-call="${sampleCalls.cut}"]`).click()
    await body.press('Control+Enter')
    await expect.poll(() => server.gateway.journal.last('createResponse')?.body).toEqual(sent)
    await page.getByText(server.gateway.journal.last('createResponse')?.id ?? '', { exact: true }).waitFor()
    expect(server.gateway.journal.last('createResponse')?.headers['x-turn']).toBe('2')
  })

  it.each([
    ['authorization', 'Bearer '],
    ['x-api-key', ''],
  ])("sends a call with a hidden %s again with the sandbox's key", async (name, prefix) => {
    const sandbox = await server.gateway.createSandbox()
    const headers = { [name]: prefix + sandbox.apiKey, 'content-type': 'application/json' }
    const messages = [{ role: 'user', content: 'Hi' }]
    const body = JSON.stringify({ model: 'aurora/dawn-2', max_tokens: 9, messages })
    await fetch(`${server.baseUrl}/messages`, { method: 'POST', headers, body })
    const id = sandbox.journal.entries()[0]?.id
    await page.goto(`${server.url}/__understudy/#/calls?call=${id}&in=${sandbox.id}`)
    await page.getByRole('button', { name: 'Edit and send again…' }).click()
    await page.getByText('The journal hides keys').waitFor()
    const shown = JSON.parse(await page.getByLabel('Headers (JSON)').inputValue())
    expect(shown[name]).toBe(headers[name])
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await expect.poll(() => sandbox.journal.entries().map(({ status }) => status)).toEqual([200, 200])
  })
})
