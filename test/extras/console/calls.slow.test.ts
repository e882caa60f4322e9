/**
 * Mouse actions on the list of calls and on one call.
 */
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call, open } from '../../call.ts'
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
  server = await startServer({ latency: { gapMs: 5 } })
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
  it('filters by text, operation, status and rule, and reflects the filters in the URL', async () => {
    await page.getByLabel('Search calls').fill('dawn-2')
    await expect.poll(rows).toBe(3)
    await page.getByLabel('Search calls').fill('')
    await page.getByLabel('Operation').selectOption('createResponse')
    await expect.poll(rows).toBe(4)
    await page.getByLabel('Status').selectOption('5xx')
    await expect.poll(rows).toBe(1)
    await page.getByLabel('Status').selectOption('aborted')
    await expect.poll(rows).toBe(1)
    await page.getByLabel('Operation').selectOption('')
    await page.getByLabel('Status').selectOption('unmatched')
    await expect.poll(rows).toBe(1)
    expect(page.url()).toContain('status=unmatched')
    await page.getByLabel('Status').selectOption('')
    await page.getByLabel('Rule').selectOption('busy-morning#2')
    await expect.poll(rows).toBe(1)
    await page.getByLabel('Search calls').fill('nothing has this')
    await page.getByText('No calls match').waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await expect.poll(rows).toBe(10)
  })

  it('keeps a call that arrives while the list is loading', async () => {
    const loaded = Promise.withResolvers<void>()
    let reads = 0
    await page.route('**/calls?last=*', async (route) => {
      const response = await route.fetch()
      reads++
      await loaded.promise
      await route.fulfill({ response })
    })
    await page.reload()
    // Loaded at the start of the page and at the first event.
    await expect.poll(() => reads).toBe(2)
    await call(server, 'GET /providers')
    await expect.poll(rows).toBe(1)
    loaded.resolve()
    await expect.poll(rows).toBe(11)
  })

  it('can be paused, resumed with the calls that arrived meanwhile, and cleared', async () => {
    await page.getByRole('button', { name: 'Pause' }).click()
    await call(server, 'GET /presets/while-paused')
    // If another tab shows the call, this tab has received it too.
    const other = await page.context().newPage()
    await other.goto(`${server.url}/__understudy/`)
    await other.getByText('/presets/while-paused').waitFor()
    await other.close()
    expect(await rows()).toBe(10)
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(rows).toBe(11)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click()
    await page.getByText('No calls yet.').waitFor()
    expect(server.gateway.journal.entries()).toEqual([])
    await call(server, 'GET /presets/after')
    await expect.poll(rows).toBe(1)
  })
})

describe('a call', () => {
  it('shows its conversation and its answer, and replays its stream', async () => {
    await page.locator(`[data-call="${sampleCalls.conversation}"]`).click()
    await page.getByRole('link', { name: 'Request' }).click()
    await expect
      .poll(() => page.locator('.turns .who').allTextContents())
      .toEqual(['instructions', 'user', 'assistant', 'user'])
    await page.getByRole('link', { name: 'Reply' }).click()
    await page.getByText('And the next one?').first().waitFor()
    await page.getByRole('link', { name: 'Stream', exact: true }).click()
    const whole = await page.locator('.grown').textContent()
    expect(whole?.length).toBeGreaterThan(100)
    await page.getByRole('button', { name: 'Replay in real time' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await page.getByRole('button', { name: 'Replay in real time' }).waitFor()
    expect(await page.locator('.grown').textContent()).toBe(whole)
  })

  it.each([
    ['Error status', 'Status', '429', async (reply: Response) => expect(reply.status).toBe(429)],
    [
      'Text',
      'Text',
      'As you wish.',
      async (reply: Response) => expect(await reply.text()).toContain('As you wish.'),
    ],
    [
      'Tool call',
      'Function',
      'look_up',
      async (reply: Response) => expect(await reply.text()).toContain('"name":"look_up"'),
    ],
    ['Delay', 'Milliseconds', '50', async (reply: Response) => expect(reply.status).toBe(200)],
  ])('overrides the next response with %s', async (how, label, value, check) => {
    const ask = () => open(server, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello' } })
    const { headers } = await ask()
    await page.locator(`[data-call="${headers.get('x-request-id')}"]`).click()
    await page.getByRole('button', { name: 'Override next response…' }).click()
    await page.getByLabel('Effect').selectOption({ label: how })
    await page.getByRole('textbox', { name: label, exact: true }).fill(value)
    await page.getByRole('button', { name: 'Activate' }).click()
    await page.getByText('Active', { exact: true }).waitFor()
    await check(await ask())
    expect(server.gateway.journal.last('createResponse')?.rule).toMatchObject({ scenario: 'override' })
    await (await ask()).text()
    expect(server.gateway.journal.last('createResponse')?.rule).toBeNull()
  })
})
