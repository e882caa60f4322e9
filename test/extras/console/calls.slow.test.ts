/**
 * What can be done with the list of calls and with one call, by mouse.
 */
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call, open } from '../../call.ts'
import { launch } from './browser.ts'
import { paint, type Scenery } from './scenery.ts'

let server: RunningServer
let browser: Browser
let page: Page
let scenery: Scenery
beforeAll(async () => {
  browser = await launch()
})
beforeEach(async () => {
  server = await startServer({ latency: { gapMs: 5 } })
  scenery = await paint(server)
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

describe('The list', () => {
  it('is narrowed by text, operation, status and rule, and the address says how', async () => {
    await page.getByLabel('Search calls').fill('dawn-2')
    await expect.poll(rows).toBe(3)
    await page.getByLabel('Search calls').fill('')
    await page.getByLabel('Operation').selectOption('createResponse')
    await expect.poll(rows).toBe(4)
    await page.getByLabel('Status').selectOption('5xx')
    await expect.poll(rows).toBe(1)
    await page.getByLabel('Status').selectOption('broken')
    await expect.poll(rows).toBe(1)
    await page.getByLabel('Operation').selectOption('')
    await page.getByLabel('Status').selectOption('unmatched')
    await expect.poll(rows).toBe(1)
    expect(page.url()).toContain('status=unmatched')
    await page.getByLabel('Status').selectOption('')
    await page.getByLabel('Rule').selectOption('busy-morning#2')
    await expect.poll(rows).toBe(1)
    await page.getByLabel('Search calls').fill('nothing has this')
    await page.getByText('No call passes these filters.').waitFor()
    await page.getByRole('link', { name: 'Show all calls' }).click()
    await expect.poll(rows).toBe(10)
  })

  it('keeps a call that arrives while the list is loaded', async () => {
    const loaded = Promise.withResolvers<void>()
    let reads = 0
    await page.route('**/calls?last=*', async (route) => {
      const response = await route.fetch()
      reads++
      await loaded.promise
      await route.fulfill({ response })
    })
    await page.reload()
    // At the start of the page, and at the first event.
    await expect.poll(() => reads).toBe(2)
    await call(server, 'GET /providers')
    await expect.poll(rows).toBe(1)
    loaded.resolve()
    await expect.poll(rows).toBe(11)
  })

  it('is paused, goes on with what came meanwhile, and is cleared', async () => {
    await page.getByRole('button', { name: 'Pause' }).click()
    await call(server, 'GET /presets/while-paused')
    // Another tab of the browser shows it, so this one has heard of it.
    const other = await page.context().newPage()
    await other.goto(`${server.url}/__understudy/`)
    await other.getByText('/presets/while-paused').waitFor()
    await other.close()
    expect(await rows()).toBe(10)
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(rows).toBe(11)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByText('No calls yet.').waitFor()
    expect(server.gateway.journal.entries()).toEqual([])
    await call(server, 'GET /presets/after')
    await expect.poll(rows).toBe(1)
  })
})

describe('A call', () => {
  it('shows its conversation, its answer, and its stream again at its own pace', async () => {
    await page.locator(`[data-call="${scenery.conversation}"]`).click()
    await page.getByRole('link', { name: 'Request' }).click()
    await expect
      .poll(() => page.locator('.turns .who').allTextContents())
      .toEqual(['instructions', 'user', 'assistant', 'user'])
    await page.getByRole('link', { name: 'Reply' }).click()
    await page.getByText('And the next one?').first().waitFor()
    await page.getByRole('link', { name: 'Stream', exact: true }).click()
    const whole = await page.locator('.grown').textContent()
    expect(whole?.length).toBeGreaterThan(100)
    await page.getByRole('button', { name: 'Play at its own pace' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await page.getByRole('button', { name: 'Play at its own pace' }).waitFor()
    expect(await page.locator('.grown').textContent()).toBe(whole)
  })

  it.each([
    ['with a status', 'Status', '429', async (reply: Response) => expect(reply.status).toBe(429)],
    [
      'with a text',
      'Text',
      'As you wish.',
      async (reply: Response) => expect(await reply.text()).toContain('As you wish.'),
    ],
    [
      'with a tool call',
      'Function',
      'look_up',
      async (reply: Response) => expect(await reply.text()).toContain('"name":"look_up"'),
    ],
    ['after a delay', 'Milliseconds', '50', async (reply: Response) => expect(reply.status).toBe(200)],
  ])('is answered %s the next time', async (how, label, value, check) => {
    const ask = () => open(server, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello' } })
    const { headers } = await ask()
    await page.locator(`[data-call="${headers.get('x-request-id')}"]`).click()
    await page.getByRole('button', { name: 'Next time answer…' }).click()
    await page.getByLabel('How').selectOption({ label: how })
    await page.getByRole('textbox', { name: label, exact: true }).fill(value)
    await page.getByRole('button', { name: 'Put in force' }).click()
    await page.getByText('In force', { exact: true }).waitFor()
    await check(await ask())
    expect(server.gateway.journal.last('createResponse')?.rule).toMatchObject({ scenario: 'next-answer' })
    await (await ask()).text()
    expect(server.gateway.journal.last('createResponse')?.rule).toBeNull()
  })
})
