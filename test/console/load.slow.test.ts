/**
 * The console while many calls come, and what those who watch cost the gateway.
 */
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { launch, open } from './browser.ts'

let server: RunningServer
let browser: Browser
beforeAll(async () => {
  server = await startServer()
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

let sent = 0
async function call(): Promise<void> {
  const path = `/presets/call-${sent++}`
  const response = await fetch(server.baseUrl + path, { headers: { authorization: 'Bearer any' } })
  await response.arrayBuffer()
}

/** So many calls a second, evenly, whether they are answered or not. */
async function callFor(seconds: number, perSecond: number): Promise<void> {
  const began = performance.now()
  const total = seconds * perSecond
  const calls: Promise<void>[] = []
  while (calls.length < total) {
    const due = Math.min(total, ((performance.now() - began) / 1000) * perSecond)
    while (calls.length < due) calls.push(call())
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await Promise.all(calls)
}

describe('200 calls a second, with 1,000 held', () => {
  it('leave the page quick; it follows the newest, and stops where somebody scrolls', async () => {
    for (let batch = 0; batch < 20; batch++) await Promise.all(Array.from({ length: 50 }, call))
    const { page, complaints } = await open(browser, `${server.url}/__understudy/`)
    await page.waitForFunction(() => document.querySelectorAll('.rows li').length === 1000)
    await page.evaluate(() => {
      const tasks: number[] = []
      Object.assign(window, { tasks })
      new PerformanceObserver((list) => {
        tasks.push(...list.getEntries().map(({ duration }) => duration))
      }).observe({ type: 'longtask' })
    })
    const top = () => page.evaluate(() => document.querySelector('.scroller')?.scrollTop)
    const newest = () => page.locator('.rows li:first-child .path').textContent()
    /** The one that has come last: under load that need not be the one that was sent last. */
    const last = () => server.gateway.journal.entries().at(-1)?.path.replace('/api/v1', '')

    await callFor(5, 200)
    await expect.poll(newest).toBe(last())
    expect(await top()).toBe(0)

    await page.locator('.scroller').hover()
    await page.mouse.wheel(0, 600)
    await page.getByRole('button', { name: 'Follow', pressed: false }).waitFor()
    /** The row in the middle of the list, and where it stands. */
    const read = () =>
      page.evaluate(() => {
        const box = document.querySelector('.scroller')?.getBoundingClientRect() ?? new DOMRect()
        const row = document.elementFromPoint(box.x + 200, box.y + box.height / 2)?.closest('.row')
        return { path: row?.querySelector('.path')?.textContent, y: row?.getBoundingClientRect().y ?? 0 }
      })
    const before = await read()
    await callFor(5, 200)
    const after = await read()
    expect(await top()).toBeGreaterThan(600)
    expect(await page.getByRole('button', { name: 'Follow', pressed: false }).count()).toBe(1)
    // What is read stands still, as long as it is held at all.
    if (Number(before.path?.split('-')[1]) > sent - 1000) {
      expect(after.path).toBe(before.path)
      expect(Math.abs(after.y - before.y)).toBeLessThan(2)
    }

    await page.getByRole('button', { name: 'Follow' }).click()
    expect(await top()).toBe(0)
    const tasks = await page.evaluate(() => (window as unknown as { tasks: number[] }).tasks)
    console.log(`the longest task took ${Math.round(Math.max(0, ...tasks))} ms, ${tasks.length} were over 50`)
    // 200 on a machine of one's own.
    expect(Math.max(0, ...tasks)).toBeLessThan(1000)
    expect(complaints).toEqual([])
    await page.close()
  })
})
