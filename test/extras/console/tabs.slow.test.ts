/**
 * Tests that a browser's tabs share one event stream, because a browser opens at most six connections to a
 * host.
 */
import type { BrowserContext, Page } from '@playwright/test'
import { describe, expect, it } from 'vitest'
import { call } from '../../call.ts'
import { startServerAndBrowser } from './server-and-browser.ts'

const setup = startServerAndBrowser()

/** Returns the open requests for the event stream, as a set that is kept up to date. */
function openStreams(context: BrowserContext): Set<unknown> {
  const streams = new Set<unknown>()
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/__understudy/events') streams.add(request)
  })
  context.on('requestfailed', (request) => streams.delete(request))
  return streams
}

describe('browser tabs', () => {
  it('leave enough connections for an application: ten tabs and four stalled streams block no request', async () => {
    setup.server.gateway.use({
      on: 'createResponse',
      when: { stream: true },
      fault: { name: 'stream-stall', afterDeltas: 1 },
    })
    const context = await setup.browser.newContext()
    const streams = openStreams(context)
    const tabs = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const page = await context.newPage()
        await page.goto(`${setup.server.url}/__understudy/`)
        await page.getByText('Live', { exact: true }).waitFor()
        return page
      }),
    )
    expect(streams.size).toBe(1)

    // An application on the same origin, with four stalled streams.
    const app = await context.newPage()
    await app.goto(`${setup.server.url}/__understudy/health`)
    const hanging = await app.evaluate(async (url) => {
      const ask = async () => {
        const response = await fetch(`${url}/responses`, {
          method: 'POST',
          headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello', stream: true }),
        })
        const reader = response.body?.getReader()
        await reader?.read()
        return response.status
      }
      return Promise.all([ask(), ask(), ask(), ask()])
    }, setup.server.baseUrl)
    expect(hanging).toEqual([200, 200, 200, 200])

    const status = await app.evaluate(
      async (url) =>
        (await fetch(`${url}/presets/code-review`, { headers: { authorization: 'Bearer any' } })).status,
      setup.server.baseUrl,
    )
    expect(status).toBe(200)
    for (const tab of tabs) await tab.getByText('/presets/code-review', { exact: true }).waitFor()
    // Tabs can still send requests.
    await tabs[7]?.getByText('/presets/code-review', { exact: true }).click()
    await tabs[7]?.getByRole('heading', { name: 'GET /api/v1/presets/code-review' }).waitFor()
    await context.close()
  })

  it('lose no call when the tab that reads the stream is closed', async () => {
    const context = await setup.browser.newContext()
    const [first, second, third] = await Promise.all(
      [1, 2, 3].map(async () => {
        const page = await context.newPage()
        await page.goto(`${setup.server.url}/__understudy/`)
        await page.getByText('Live', { exact: true }).waitFor()
        return page
      }),
    )
    await call(setup.server, 'GET /presets/before')
    for (const tab of [first, second, third])
      await tab?.getByText('/presets/before', { exact: true }).waitFor()
    // Closes two of the three tabs, because any of them can be the one that reads the stream.
    await first?.close()
    await call(setup.server, 'GET /presets/between')
    await second?.close()
    await call(setup.server, 'GET /presets/after')
    for (const path of ['between', 'after'])
      await third?.getByText(`/presets/${path}`, { exact: true }).waitFor()
    await context.close()
  })

  it('read nothing while all are hidden, and catch up when one is shown', async () => {
    const context = await setup.browser.newContext()
    const streams = openStreams(context)
    const [first, second] = await Promise.all(
      [1, 2].map(async () => {
        const page = await context.newPage()
        await page.goto(`${setup.server.url}/__understudy/`)
        await page.getByText('Live', { exact: true }).waitFor()
        return page
      }),
    )
    /** Headless Chromium cannot hide a page, so its visibility is simulated. */
    const hide = (page: Page | undefined, hidden: boolean) =>
      page?.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { value, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    // The tab that is still visible receives the call.
    await hide(first, true)
    await call(setup.server, 'GET /presets/seen-by-one')
    await second?.getByText('/presets/seen-by-one', { exact: true }).waitFor()
    await hide(second, true)
    await expect.poll(() => streams.size).toBe(0)
    await call(setup.server, 'GET /presets/seen-by-none')
    await hide(first, false)
    for (const tab of [first, second])
      await tab?.getByText('/presets/seen-by-none', { exact: true }).waitFor()
    expect(streams.size).toBe(1)
    await context.close()
  })
})
