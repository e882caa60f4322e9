/** Tests the console under load. */
import { describe, expect, it } from 'vitest'
import { call } from '../../call.ts'
import { open } from './browser.ts'
import { startServerAndBrowser } from './server-and-browser.ts'

const total = 5000
const setup = startServerAndBrowser({ limits: { journalEntries: total } })

let sent = 0
const ask = () => call(setup.server, `GET /presets/call-${sent++}`)

/** Long enough for a busy machine. */
const soon = { timeout: 10_000 }

/** Sends requests at a constant rate, without waiting for replies. */
async function callFor(seconds: number, perSecond: number): Promise<void> {
  const began = performance.now()
  const total = seconds * perSecond
  const calls: Promise<unknown>[] = []
  while (calls.length < total) {
    const due = Math.min(total, ((performance.now() - began) / 1000) * perSecond)
    while (calls.length < due) calls.push(ask())
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await Promise.all(calls)
}

async function fillJournal(): Promise<void> {
  while (sent < total) await Promise.all(Array.from({ length: 50 }, ask))
}

describe('the console at 200 calls per second, with 5,000 in the list', () => {
  it('stays responsive, and shows the newest call until the user scrolls', async () => {
    await fillJournal()
    const { page, complaints } = await open(setup.browser, `${setup.server.url}/__understudy/`)
    await page.getByRole('listitem').first().waitFor()
    await page.getByText('Export 5,000 calls').waitFor()
    await page.evaluate(() => {
      const tasks: number[] = []
      Object.assign(window, { tasks })
      new PerformanceObserver((list) => {
        tasks.push(...list.getEntries().map(({ duration }) => duration))
      }).observe({ type: 'longtask' })
    })
    const top = () => page.evaluate(() => document.querySelector('.scroller')?.scrollTop)
    const newest = () => page.locator('.rows li:first-child .path').textContent()
    /** Paths in order of arrival, which may differ from the order of sending. */
    const paths = () => setup.server.gateway.journal.entries().map(({ path }) => path.replace('/api/v1', ''))

    let isOver = false
    const load = callFor(10, 200).then(() => {
      isOver = true
    })
    for (let second = 0; second < 4; second++) {
      const before = new Set(paths())
      await expect.poll(async () => isOver || !before.has((await newest()) ?? ''), soon).toBe(true)
      expect(await top()).toBe(0)
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }

    await page.locator('.scroller').hover()
    await page.mouse.wheel(0, 600)
    await expect.poll(top, soon).toBeGreaterThanOrEqual(600)
    /** Returns the row in the middle of the list, and its position. */
    const read = () =>
      page.evaluate(() => {
        const box = document.querySelector('.scroller')?.getBoundingClientRect() ?? new DOMRect()
        const row = document.elementFromPoint(box.x + 200, box.y + box.height / 2)?.closest('.row')
        return { path: row?.querySelector('.path')?.textContent, y: row?.getBoundingClientRect().y ?? 0 }
      })
    const before = await read()
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const after = await read()
    expect(after.path).toBe(before.path)
    expect(Math.abs(after.y - before.y)).toBeLessThan(2)
    expect(await top()).toBeGreaterThanOrEqual(600)
    const search = page.getByLabel('Search calls')
    await search.pressSequentially('call-50 status:200', { delay: 30 })
    await page.mouse.wheel(0, -200)
    await search.fill('')
    await page.locator('.scroller').hover()
    await page.mouse.wheel(0, 2000)
    await load

    await page.locator('.scroller').evaluate((list) => list.scrollTo(0, 0))
    await expect.poll(newest, soon).toBe(paths().at(-1))
    expect(await top()).toBe(0)
    const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks)
    console.log(`the longest task took ${Math.round(Math.max(0, ...tasks))} ms, ${tasks.length} were over 50`)
    // On an idle machine, no task takes longer than 50 ms.
    expect(Math.max(0, ...tasks)).toBeLessThan(500)
    const devTools = await page.context().newCDPSession(page)
    await devTools.send('HeapProfiler.collectGarbage')
    const { usedSize } = await devTools.send('Runtime.getHeapUsage')
    console.log(`the page uses ${Math.round(usedSize / 1e6)} MB`)
    expect(usedSize).toBeLessThan(150e6)
    expect(complaints).toEqual([])
    await page.close()
  })
})

describe('the list of 5,000 calls', () => {
  it('has no empty part and does not move its columns, whatever changes', async () => {
    await fillJournal()
    const { page, complaints } = await open(setup.browser, `${setup.server.url}/__understudy/`)
    await page.getByText('Export 5,000 calls').waitFor()
    /** Returns the pixels of the list without a row, and the left edges of the first columns. */
    const look = () =>
      page.evaluate(async () => {
        for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
        const list = document.querySelector('.scroller') ?? document.body
        const headings = document.querySelector('.headings')?.getBoundingClientRect() ?? new DOMRect()
        const boxes = [...document.querySelectorAll('.rows li')].map((row) => row.getBoundingClientRect())
        const columns = ['time', '.status', '.what'].map(
          (name) => document.querySelector(`.rows ${name}`)?.getBoundingClientRect().left,
        )
        const above = Math.max(0, Math.min(...boxes.map(({ top }) => top)) - headings.bottom)
        const end = list.getBoundingClientRect().top + list.clientHeight
        const below = Math.max(0, end - Math.max(...boxes.map(({ bottom }) => bottom)))
        return { empty: Math.round(above + below), columns }
      })
    const scroll = (top: number) =>
      page.locator('.scroller').evaluate((list, position) => list.scrollTo(0, position), top)
    const openCall = () => page.locator('.rows .row').nth(20).click()
    const search = page.getByLabel('Search calls')
    const { columns } = await look()
    for (const [step, change] of Object.entries({
      'scrolled far down': () => scroll(90_000),
      opened: openCall,
      closed: () => page.keyboard.press('Escape'),
      'scrolled to the end': () => scroll(1_000_000),
      sorted: () => page.getByRole('button', { name: 'Request' }).click(),
      'scrolled again': () => scroll(50_000),
      grouped: () => page.getByLabel('Group by').selectOption('conversation'),
      'scrolled in groups': () => scroll(50_000),
      searched: () => search.fill('call-12'),
      'cleared after a search in vain': async () => {
        await search.fill('is:aborted')
        await page.getByText('No calls match').waitFor()
        await search.fill('')
        await page.locator('.rows .row').first().waitFor()
      },
      'down again': () => scroll(70_000),
      higher: () => page.setViewportSize({ width: 1280, height: 1100 }),
      medium: () => page.setViewportSize({ width: 850, height: 700 }),
      'opened in its place': openCall,
      'closed in its place': () => page.keyboard.press('Escape'),
    })) {
      await change()
      await expect.poll(look, soon).toEqual({ empty: 0, columns })
      if (step === 'closed in its place')
        expect(await page.locator('.scroller').evaluate((list) => list.scrollTop)).toBeGreaterThan(60_000)
    }
    await page.setViewportSize({ width: 400, height: 800 })
    await expect.poll(async () => (await look()).empty, soon).toBe(0)
    expect(complaints).toEqual([])
    await page.close()
  })
})
