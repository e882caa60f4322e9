/** Tests the console in Chromium: size, latency and accessibility. */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContextOptions } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { launch, open } from './browser.ts'
import { makeMoreCalls, makeSampleCalls, screensOf } from './sample-calls.ts'

let server: RunningServer
let browser: Browser
let screens: Record<string, string>
const at = (hash: string) => `${server.url}/__understudy/${hash}`
beforeAll(async () => {
  server = await startServer({ latency: { perToken: 5 } })
  await server.gateway.createSandbox({ id: 'checkout-test' })
  screens = screensOf(await makeSampleCalls(server), await makeMoreCalls(server))
  browser = await launch()
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

describe("the console's files", () => {
  it('total at most 40 kB when compressed', async () => {
    const folder = new URL('../../../dist/console/', import.meta.url)
    const page = await (await fetch(at(''))).text()
    const names = readdirSync(folder)
    expect(names).toHaveLength(3)
    for (const name of names) expect(name === 'index.html' || page.includes(`./${name}`)).toBe(true)
    const sizeOf = (name: string) => gzipSync(readFileSync(new URL(name, folder))).length
    expect(names.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThanOrEqual(40_000)
  })
})

describe('the list of calls', () => {
  it('shows a completed call without a reload', async () => {
    await using quiet = await startServer()
    const { page, complaints } = await open(browser, `${quiet.url}/__understudy/`)
    await page.getByText('Live', { exact: true }).waitFor()
    // Times at which the rows were ready to be painted.
    await page.evaluate(() => {
      const seen: Record<string, number> = {}
      Object.assign(window, { seen })
      new MutationObserver(() => {
        const path = document.querySelector('.row .path')?.textContent
        if (path && !seen[path])
          requestAnimationFrame(() => (seen[path] ??= performance.timeOrigin + performance.now()))
      }).observe(document.body, { subtree: true, childList: true })
    })
    const over: Record<string, number> = {}
    for (let turn = 0; turn < 60; turn++) {
      const path = `/presets/turn-${turn}`
      await call(quiet, `GET ${path}`)
      over[path] = performance.timeOrigin + performance.now()
      await page.getByText(path, { exact: true }).waitFor()
    }
    const seen = await page.evaluate(() => (window as unknown as { seen: Record<string, number> }).seen)
    const delays = Object.entries(over)
      .map(([path, time]) => (seen[path] ?? Number.NaN) - time)
      .sort((left, right) => left - right)
    console.log(`a completed call is on the screen after ${Math.round(delays[57] ?? 0)} ms (p95 of 60)`)
    expect(delays[57]).toBeLessThan(2000)
    expect(complaints).toEqual([])
    await page.close()
  })

  it('shows the same call when its link is opened elsewhere', async () => {
    const { page } = await open(browser, at('#/calls'))
    await page.locator('.rows a', { hasText: 'unmatched' }).click()
    await page.getByRole('link', { name: 'Reply' }).click()
    await page.locator('.code').first().waitFor()
    const other = await open(browser, page.url())
    await other.page.getByRole('heading', { name: 'GET /api/v1/provider' }).waitFor()
    expect(await other.page.locator('.code').first().textContent()).toBe(
      await page.locator('.code').first().textContent(),
    )
    expect(other.complaints).toEqual([])
    await page.close()
    await other.page.close()
  })
})

describe('every screen', () => {
  /** Returns violations reported by axe, and screens wider than the window. */
  async function faultsOf(options: BrowserContextOptions): Promise<string[]> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
    const page = await context.newPage()
    const found: string[] = []
    for (const [screen, hash] of Object.entries(screens)) {
      await page.goto('about:blank')
      await page.goto(at(hash))
      await page.getByText('Live', { exact: true }).waitFor()
      await page.waitForTimeout(300)
      expect(await page.locator('.notice').count(), screen).toBe(0)
      const { violations } = await new AxeBuilder({ page }).analyze()
      for (const { id, nodes } of violations) found.push(`${screen}: ${id} ${nodes[0]?.html.slice(0, 160)}`)
      const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (tooWide > 0) found.push(`${screen}: ${tooWide} pixels too wide`)
      const moving = await page.evaluate(
        () =>
          matchMedia('(prefers-reduced-motion: reduce)').matches &&
          [...document.querySelectorAll('*')].some(
            (element) => Number.parseFloat(getComputedStyle(element).transitionDuration) > 0,
          ),
      )
      if (moving) found.push(`${screen}: moves`)
    }
    await context.close()
    return found
  }

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 800],
    ['dark', 800],
    ['light', 400],
    ['dark', 400],
  ] as const)(
    'passes axe in the %s scheme at %i pixels, without horizontal overflow',
    async (colorScheme, width) => {
      expect(await faultsOf({ colorScheme, viewport: { width, height: 800 } })).toEqual([])
    },
  )

  it('has touch targets of at least 24 pixels in a viewport 400 pixels wide', async () => {
    const context = await browser.newContext({ viewport: { width: 400, height: 800 }, hasTouch: true })
    const page = await context.newPage()
    const small: string[] = []
    for (const [screen, hash] of Object.entries(screens)) {
      await page.goto('about:blank')
      await page.goto(at(hash))
      await page.getByText('Live', { exact: true }).waitFor()
      await page.waitForTimeout(300)
      const found = await page.evaluate(() =>
        // Links within sentences are exempt, as in WCAG 2.5.8.
        [
          ...document.querySelectorAll(
            'button, input, select, textarea, summary, nav a, .bar a, td a, li > a',
          ),
        ]
          // A label is part of its input's target.
          .map((element) => ({ element, target: element.closest('label') ?? element }))
          .filter(({ target }) => target.checkVisibility())
          .map(({ element, target }) => ({ element, box: target.getBoundingClientRect() }))
          .filter(({ box: { width, height } }) => width < 23.9 || height < 23.9)
          .map(
            ({ element, box }) =>
              `${Math.round(box.width)}×${Math.round(box.height)} ${element.outerHTML.slice(0, 120)}`,
          ),
      )
      small.push(...found.map((each) => `${screen}: ${each}`))
    }
    expect(small).toEqual([])
    await context.close()
  })

  it('passes axe with forced colours, and has no animations with reduced motion', async () => {
    expect(await faultsOf({ forcedColors: 'active', reducedMotion: 'reduce' })).toEqual([])
  })
})
