/** Tests the console's rules: their progress, the faults picker, and the editor's suggestions. */
import type { Page } from '@playwright/test'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { launch, open, type Watched } from './browser.ts'

let browser: Awaited<ReturnType<typeof launch>>
let server: RunningServer
let page: Page
beforeAll(async () => {
  browser = await launch()
})
beforeEach(async () => {
  server = await startServer()
  const watched: Watched = await open(browser, `${server.url}/__understudy/#/scenarios`)
  page = watched.page
  return async () => {
    expect(watched.complaints).toEqual([])
    await page.close()
    await server.close()
  }
})
afterAll(() => browser.close())

const chat = async () => {
  const body = { model: 'aurora/dawn-2', messages: [{ role: 'user', content: 'Hi' }] }
  const { status, headers } = await call(server, 'POST /chat/completions', { body })
  return { status, id: headers.get('x-request-id') ?? '' }
}

describe('the rules page', () => {
  it('fails the next call of an operation once, and shows that the rule is used up', async () => {
    await page.getByRole('button', { name: 'Fail once' }).click()
    await page.getByText("The next call to any text operation in sandbox 'default' gets 500").waitFor()
    const failed = await chat()
    expect([failed.status, (await chat()).status]).toEqual([500, 200])
    await page.getByText('used up').waitFor()
    await page.getByRole('link', { name: '1 of 1' }).click()
    await expect.poll(() => page.locator('.rows a').count()).toBe(1)
    // The same can be done from the call, with another fault.
    await page.locator(`[data-call="${failed.id}"]`).click()
    await page.getByLabel('Fault', { exact: true }).selectOption('429')
    await page.getByRole('button', { name: 'Fail once' }).click()
    await page.getByText("The next call to createChatCompletion in sandbox 'default' gets 429").waitFor()
    expect([(await chat()).status, (await chat()).status]).toEqual([429, 200])
  })

  it('shows the parameters and conditions of rules, and the calls that a scenario changed', async () => {
    await page.getByRole('checkbox', { name: 'flaky' }).check()
    await page.getByRole('cell', { name: 'status 503' }).waitFor()
    server.gateway.use({
      name: 'detailed',
      rules: [
        { on: 'text', when: { input: 'moon' }, after: 2, fault: { name: 'stream-cut', afterDeltas: 3 } },
        { on: 'text', rateLimit: { requests: 2, per: '60s' } },
        { on: 'text', times: 2, sequence: ['pass', { fault: { name: 'latency', ms: 1 } }] },
      ],
    })
    const { id } = await chat()
    const cells = page.getByRole('region', { name: 'Rules in detailed' }).locator('tbody td')
    await expect
      .poll(async () => (await cells.allTextContents()).map((text) => text.trim()))
      .toEqual([
        ...['1', 'text input: moon, after: 2', 'stream-cut afterDeltas: 3', '0unused'],
        ...['2', 'text', 'rate limit requests: 2, per: 60000', '0 (matched 1)unused'],
        ...['3', 'text', 'sequence of 2', '0 of 2unused'],
      ])
    await page.getByRole('link', { name: 'Show changed calls' }).click()
    await page.locator(`[data-call="${id}"]`).waitFor()
  })

  it('completes names in the editor at the caret', async () => {
    const editor = page.getByLabel('Scenario (YAML or JSON)')
    await editor.fill('name: mine\nrules:\n  - on: createChat')
    const completions = page.getByRole('group', { name: 'Complete with' })
    await completions.getByRole('button', { name: 'createChatCompletion' }).click()
    await page.keyboard.type('\n    times: 1\n    fault: slow-s')
    await completions.getByRole('button', { name: 'slow-stream' }).waitFor()
    // The names are the next stop of the Tab key.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => editor.inputValue()).toMatch(/createChatCompletion[\s\S]*fault: slow-stream$/)
    // The draft is kept on other screens, and is not replaced without a question.
    await page.getByRole('link', { name: 'Calls', exact: true }).click()
    await page.goBack()
    await page.getByRole('button', { name: 'Edit flaky' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByText("'mine' is active").waitFor()
  })
})
