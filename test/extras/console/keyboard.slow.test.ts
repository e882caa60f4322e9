/** Performs the console's main tasks with only the keyboard. */
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { launch, open } from './browser.ts'
import { makeSampleCalls } from './sample-calls.ts'

let server: RunningServer
let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await launch()
})
beforeEach(async () => {
  server = await startServer({ latency: { perToken: 5 } })
  await makeSampleCalls(server)
  ;({ page } = await open(browser, `${server.url}/__understudy/`))
  await page.getByText('Live', { exact: true }).waitFor()
  await page.locator('.row').first().waitFor()
  return async () => {
    await page.close()
    await server.close()
  }
})
afterAll(() => browser.close())

const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key)
}

/** Presses Tab until an element with this name has the focus. */
async function tabTo(name: string | RegExp): Promise<void> {
  const seen: string[] = []
  for (let turn = 0; turn < 80; turn++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null
      const label = (element as HTMLInputElement | null)?.labels?.[0]?.textContent
      return (element?.ariaLabel ?? label ?? element?.textContent ?? '').trim()
    })
    if (typeof name === 'string' ? focused === name : name.test(focused)) return
    seen.push(focused.slice(0, 30))
  }
  throw new Error(`Tab never reaches ${name}: ${seen.join(', ')}`)
}

/** Confirms an action. Cancel has the focus, and the action's button is next to it. */
async function confirm(): Promise<void> {
  await page.getByRole('dialog').waitFor()
  await press('Tab', 'Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function goTo(screen: string): Promise<void> {
  await tabTo(screen)
  await press('Enter')
  await page.getByRole('heading', { level: 2 }).first().waitFor()
}

describe('the keyboard', () => {
  it('finds, opens, sends again and closes a call', async () => {
    await tabTo('Search calls')
    await page.keyboard.type('is:unmatched')
    await press('ArrowDown')
    await page.waitForFunction(() => document.activeElement?.matches('.row'))
    await press('Enter')
    await page.getByRole('heading', { name: 'GET /api/v1/provider' }).waitFor()
    await page.getByText('did you mean GET /providers').waitFor()
    await tabTo('Reply')
    await press('Enter')
    await page.getByText('Resource not found').or(page.getByText('did you mean')).first().waitFor()
    await tabTo('Why')
    await press('Enter')
    const before = server.gateway.journal.entries().length
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'GET /api/v1/provider' }).waitFor({ state: 'detached' })
    // The call's row has the focus again.
    await page.waitForFunction(() => document.activeElement?.matches('.row'))
    await press('Enter')
    await page.getByRole('heading', { name: 'GET /api/v1/provider' }).waitFor()
    await tabTo('Edit and send again…')
    await press('Enter')
    await tabTo('Path')
    await press('Enter')
    await expect.poll(() => server.gateway.journal.entries().length).toBe(before + 1)
    await page.waitForFunction(() => document.activeElement?.matches('.detail'))
  })

  it('moves through the list with the arrow keys, and leaves it with one Tab', async () => {
    await tabTo('Size')
    await press('Tab')
    expect(await page.evaluate(() => document.activeElement?.matches('.row'))).toBe(true)
    await press('ArrowDown', 'ArrowDown', 'End', 'Home', 'ArrowDown', 'Tab', 'Shift+Tab', 'Space', 'Enter')
    await page.getByRole('heading', { name: 'GET /api/v1/benchmarks' }).waitFor()
    await page.getByRole('button', { name: 'Export 1 selected call' }).waitFor()
    await press('Tab')
    expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Close call details')
  })

  it("moves along a stream's timeline", async () => {
    await tabTo(/stream/)
    await press('Enter')
    await tabTo('Stream')
    await press('Enter')
    await tabTo(/^Time/)
    await press('Home')
    await expect.poll(() => page.locator('.events li').count()).toBeLessThan(10)
    await press('End')
    await expect.poll(() => page.locator('.events li').count()).toBeGreaterThan(20)
  })

  it('toggles a bundled scenario, and writes, corrects and activates a custom one', async () => {
    await goTo('Scenarios')
    await page.getByText('flaky', { exact: true }).waitFor()
    await tabTo(/^flaky/)
    await press('Space')
    await page.getByRole('region', { name: 'Rules in flaky' }).waitFor()
    expect(server.gateway.sandboxes.default.rules.names()).toContain('flaky')
    await press('Space')
    await page.getByRole('region', { name: 'Rules in flaky' }).waitFor({ state: 'detached' })
    await tabTo('Scenario (YAML or JSON)')
    await press('ControlOrMeta+a')
    await page.keyboard.insertText('name: mine\nrules:\n  - on: listProvider\n    fault: rate-limit\n')
    await page.getByText("did you mean 'listProviders'").waitFor()
    await tabTo('Line 3, column 5')
    await press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('editor')
    await press('ControlOrMeta+a')
    await page.keyboard.insertText('name: mine\nrules:\n  - on: listProviders\n    fault: rate-limit\n')
    await page.getByText('Would match 1 of the last 10 calls.').waitFor()
    await tabTo('Activate')
    await press('Enter')
    await page.getByText("'mine' is active").waitFor()
    expect(server.gateway.sandboxes.default.rules.names()).toContain('mine')
    await tabTo('Deactivate')
    await press('Enter')
    await page.waitForFunction(() => document.activeElement?.ariaLabel === 'Active scenarios')
  })

  it('changes, adds and deletes rows, and resets the sandbox', async () => {
    await goTo('Data')
    await tabTo('workspaces 2')
    await press('Enter')
    await tabTo(/^2222/)
    await press('Enter')
    await tabTo('Record (JSON)')
    const row = JSON.parse(await page.getByLabel('Record (JSON)').inputValue())
    await press('ControlOrMeta+a')
    await page.keyboard.insertText(JSON.stringify({ ...row, name: 'Changed by hand' }))
    await tabTo('Save')
    await press('Enter')
    await page.getByText('2 changed').waitFor()
    expect(await server.gateway.db.workspaces.get('staging')).toMatchObject({ name: 'Changed by hand' })
    await tabTo(/^2222/)
    await press('Enter')
    await tabTo('Delete')
    await press('Enter')
    await confirm()
    await page.getByText('1 deleted').waitFor()
    await tabTo('Reset sandbox')
    await press('Enter')
    await confirm()
    await page.getByText('Unchanged').waitFor()
    expect(await server.gateway.db.workspaces.list()).toHaveLength(2)
  })

  it('creates a sandbox, advances its clock, and forks and deletes it', async () => {
    await goTo('Sandboxes')
    await tabTo('New sandbox')
    await press('Enter')
    await page.getByText('Created ').waitFor()
    const [sandbox] = server.gateway.sandboxes.listLive()
    const card = page.getByRole('region', { name: `Sandbox ${sandbox?.id}` })
    await tabTo(`Copy the API key of ${sandbox?.id}`)
    await tabTo('Seconds')
    await press('ControlOrMeta+a')
    await page.keyboard.type('90')
    await tabTo('Advance clock')
    await press('Enter')
    await card.getByText(/^9\d\.\d s elapsed/).waitFor()
    await tabTo('Fork')
    await press('Enter')
    await expect.poll(() => server.gateway.sandboxes.listLive()).toHaveLength(2)
    await tabTo('Delete')
    await press('Enter')
    await confirm()
    await expect.poll(() => server.gateway.sandboxes.listLive()).toHaveLength(1)
    await page.waitForFunction(() => document.activeElement?.textContent === 'New sandbox')
  })
})
