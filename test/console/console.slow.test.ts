/**
 * The console in a real Chromium: its size, that it shows calls by itself, and that everybody can read it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { launch, open } from './browser.ts'
import { paint } from './scenery.ts'

let server: RunningServer
let browser: Browser
let at: (hash: string) => string
beforeAll(async () => {
  server = await startServer({ tokensPerSecond: 200 })
  await paint(server)
  browser = await launch()
  at = (hash) => `${server.url}/__understudy/${hash}`
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

const call = (path: string, init: RequestInit = {}) =>
  fetch(server.baseUrl + path, {
    ...init,
    headers: { authorization: 'Bearer any', 'content-type': 'application/json', ...init.headers },
  })

describe('The files', () => {
  it('are three, at most 40 KB together as they travel', async () => {
    await fetch(at(''))
    const folder = new URL('../../dist/console/', import.meta.url)
    const names = readdirSync(folder)
    expect(names).toHaveLength(3)
    const sizes = names.map((name) => gzipSync(readFileSync(new URL(name, folder))).length)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(40 * 1024)
  })
})

describe('The list of calls', () => {
  it('shows a call when it is over, without being asked', async () => {
    const { page, complaints } = await open(browser, at('#/calls'))
    await page.getByText('Live', { exact: true }).waitFor()
    const delays: number[] = []
    for (let turn = 0; turn < 20; turn++) {
      const path = `/presets/code-review?turn=${turn}`
      const count = server.gateway.journal.entries().length
      await (await call(path)).text()
      const began = performance.now()
      await page.locator(`.rows li:nth-child(1)`).waitFor()
      await page.waitForFunction(
        (wanted) => document.querySelectorAll('.rows li').length >= wanted,
        count + 1,
      )
      delays.push(performance.now() - began)
    }
    delays.sort((left, right) => left - right)
    console.log(`a finished call is on the screen after ${Math.round(delays[18] ?? 0)} ms (p95 of 20)`)
    expect(complaints).toEqual([])
    await page.close()
  })
})

describe('Every screen', () => {
  const screens = [
    'calls',
    'call',
    'stream',
    'scenarios',
    'data',
    'row',
    'sandboxes',
    'figures',
    'try',
    'help',
  ]
  const hashes: Record<string, () => string> = {
    call: () => `#/calls?call=${server.gateway.journal.entries()[5]?.id}&in=default`,
    stream: () => `#/calls?call=${server.gateway.journal.entries()[10]?.id}&in=default&tab=stream`,
    row: () => '#/data?collection=providers&row=%2B',
    help: () => '#/calls',
  }

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 320],
    ['dark', 320],
  ] as const)(
    'passes axe in the %s scheme at %i pixels, without a line that is too wide',
    async (colorScheme, width) => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } })
      const page = await context.newPage()
      const found: string[] = []
      for (const screen of screens) {
        await page.goto('about:blank')
        await page.goto(at(hashes[screen]?.() ?? `#/${screen}`))
        await page.getByText('Live', { exact: true }).waitFor()
        if (screen === 'help') await page.keyboard.press('?')
        await page.waitForTimeout(300)
        const { violations } = await new AxeBuilder({ page }).analyze()
        for (const { id, nodes } of violations) found.push(`${screen}: ${id} ${nodes[0]?.html.slice(0, 160)}`)
        const tooWide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        if (tooWide > 0) found.push(`${screen}: ${tooWide} pixels too wide`)
      }
      expect(found).toEqual([])
      await context.close()
    },
  )
})
