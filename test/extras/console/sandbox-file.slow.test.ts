/**
 * Tests saving and opening sandbox files in the browser, and the request form for every operation.
 */
import { readFile } from 'node:fs/promises'
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer } from '../../../src/serve.ts'
import { launch, open } from './browser.ts'
import { makeSampleCalls } from './sample-calls.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser.close())

describe('a sandbox', () => {
  it('can be saved as a file and opened on another server, where its calls can be resent', async () => {
    await using first = await startServer({ latency: { perToken: 5 } })
    await using second = await startServer()
    const { unmatched, cut } = await makeSampleCalls(first)
    const saving = await open(browser, `${first.url}/__understudy/#/sandboxes`)
    const download = saving.page.waitForEvent('download')
    await saving.page.getByRole('button', { name: 'Save as file' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('sandbox-default.json')
    const saved = JSON.parse(await readFile(await file.path(), 'utf8'))
    const buffer = Buffer.from(JSON.stringify({ ...saved, test: 'shows the tides' }))

    const { page, complaints } = await open(browser, `${second.url}/__understudy/#/sandboxes`)
    const choose = page.locator('input[type=file]')
    await choose.setInputFiles({
      name: 'wrong.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{}'),
    })
    await page.getByText('wrong.json: ').waitFor()
    await choose.setInputFiles({ name: 'sandbox.json', mimeType: 'application/json', buffer })
    await expect.poll(() => page.locator('.rows li').count()).toBe(10)
    // The first screen says what the file is, and what failed and why.
    const summary = page.getByRole('region', { name: 'Opened file' })
    await summary.getByText('Failed test: shows the tides').waitFor()
    await summary.getByText("rule 2 (refused) of 'busy-morning'. Fault status, status 529.").waitFor()
    await summary.getByText('did you mean GET /providers').waitFor()
    await summary.getByText("Rule 3 of 'busy-morning' for getPreset never applied.").waitFor()
    // The file's calls keep their durations, rules and streams, and are not listed among live calls.
    const { calls } = saved
    const [, amount, unit] =
      /([\d.]+) (m?s)/.exec((await page.locator('.rows .duration').allTextContents()).at(-1) ?? '') ?? []
    const [ms, precision] = unit === 's' ? [Number(amount) * 1000, 100] : [Number(amount), 1]
    expect(Math.abs(ms - calls[0].durationMs)).toBeLessThan(precision)
    await page.locator(`[data-call="${cut}"]`).click()
    await page.getByText('A fault aborted the reply.').waitFor()
    await page.getByRole('link', { name: 'Stream', exact: true }).click()
    await page.getByText(/First event after .* Cut by a fault after .* Fault stream-cut/).waitFor()
    await page.locator('.picker select').selectOption('All sandboxes')
    await page.getByText('No calls yet').waitFor()
    await page.goBack()
    await page.goBack()
    // The file includes rules, rows and calls.
    const [sandbox] = second.gateway.sandboxes.listLive()
    expect(sandbox?.rules.names()).toEqual(['busy-morning'])
    expect(await sandbox?.db.workspaces.get('production')).toMatchObject({
      description: 'Prompts that serve customers',
    })
    await page.locator(`[data-call="${unmatched}"]`).click()
    const details = page.getByRole('article', { name: 'Call' })
    await details.getByText('did you mean GET /providers').waitFor()
    await page.getByRole('button', { name: 'Resend' }).click()
    await expect.poll(() => page.locator('.rows li').count()).toBe(11)
    expect(complaints).toEqual([])
    await page.close()
    await saving.page.close()
  })
})

describe('the request form', () => {
  it("has a successful example for each of the server's operations", async () => {
    const extensions = ['chat', 'messages', 'models', 'management'] as const
    await using server = await startServer({ extensions: [...extensions], timeScale: 0 })
    const { page, complaints } = await open(browser, `${server.url}/__understudy/#/try`)
    const choice = page.getByLabel('Request')
    await choice.waitFor()
    const values = await choice
      .locator('option')
      .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value))
    const operations = [...new Set(values.map((value) => value.replace(/\.stream$/, '')))]
    expect(operations.filter((id) => id !== 'unknown')).toHaveLength(server.gateway.operations.length)
    const statuses: Record<string, string> = {}
    for (const value of values) {
      await choice.selectOption(value)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('region', { name: 'Reply body' }).waitFor()
      const status = page.getByRole('region', { name: 'Reply', exact: true }).locator('.status')
      await expect.poll(() => status.textContent()).not.toContain('…')
      statuses[value] = (await status.textContent()) ?? ''
    }
    const { unknown, getGeneration, ...others } = statuses
    expect(unknown).toBe('404')
    // The generation in the example does not exist.
    expect(getGeneration).toMatch(/^4\d\d$/)
    expect(Object.entries(others).filter(([, status]) => status !== '200')).toEqual([])
    expect(complaints).toEqual([])
    await page.close()
  })
})
