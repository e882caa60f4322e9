/** Tests that the file of a failed test opens read-only, and that a hostile file is rejected in one line. */
import type { Page } from '@playwright/test'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { reportFailedTest } from '../../../src/gateway/failed-test.ts'
import { call, open as send } from '../../call.ts'
import { open, type Watched } from './browser.ts'
import { startServerAndBrowser } from './server-and-browser.ts'

const setup = startServerAndBrowser({ latency: { perToken: 2 } })
let text: string
let watched: Watched
let page: Page

beforeAll(async () => {
  const { gateway, baseUrl } = setup.server
  const sandbox = await gateway.createSandbox()
  sandbox.use('flaky', {
    name: 'wanted',
    rules: [
      { on: 'createResponse', when: { stream: true }, fault: { name: 'stream-cut', afterDeltas: 3 } },
      { on: 'createChatCompletion', script: [{ text: 'Hi' }, { text: 'Bye' }] },
    ],
  })
  const headers = { authorization: `Bearer ${sandbox.apiKey}` }
  const ask = (line: string, body?: object) => send({ baseUrl }, line, { headers, body })
  for (let turn = 0; turn < 3; turn++) await (await ask('GET /providers')).text()
  const body = { model: 'aurora/dawn-2', input: 'High tide?', stream: true }
  await (await ask('POST /responses', body)).text().catch(() => undefined)
  const chat = { model: 'aurora/dawn-2', messages: [{ role: 'user', content: '<b>Hi</b>' }] }
  await (await ask('POST /chat/completions', chat)).text()
  const { journal, rules } = sandbox
  const { file } = await reportFailedTest(gateway, {
    ...{ test: 'recovers from a cut', sandbox: 'from-ci', entries: journal.entries(), unanswered: [] },
    ...{ stray: [], unused: [], scenarios: rules.active(), scripts: rules.scripts() },
  })
  text = file
  await sandbox.dispose()
  await call({ baseUrl }, 'GET /presets/live')
})

beforeEach(async () => {
  watched = await open(setup.browser, `${setup.server.url}/__understudy/#/sandboxes`)
  page = watched.page
  return async () => {
    expect(watched.complaints).toEqual([])
    await page.close()
  }
})

async function choose(name: string, buffer: Buffer): Promise<void> {
  const input = page.getByLabel("Open a failed test's file")
  await input.setInputFiles({ name, mimeType: 'application/json', buffer })
}

const button = (name: string) => page.getByRole('button', { name, exact: true })

describe('the file of a failed test', () => {
  it('shows its calls, their explanations and streams, its scenarios and scripts, without actions', async () => {
    await choose('failed-test.json', Buffer.from(text))
    await page.getByText('Failed test recovers from a cut, in sandbox from-ci').waitFor()
    await page.getByText('From a file').waitFor()
    await expect.poll(() => page.locator('.rows a').count()).toBe(5)
    expect(await page.getByText('/presets/live').count()).toBe(0)
    await call(setup.server, 'GET /presets/still-live')
    await page.getByLabel('Search calls').fill('body:response.created')
    await expect.poll(() => page.locator('.rows a').count()).toBe(1)
    await page.getByLabel('Search calls').fill('body:still-live')
    await expect.poll(() => page.locator('.rows a').count()).toBe(0)
    await page.getByLabel('Search calls').fill('tide')
    await expect.poll(() => page.locator('.rows a').count()).toBe(1)
    await page.locator('.rows a').click()
    await page.getByText('A fault aborted the reply.').waitFor()
    await page.getByText('Fault stream-cut.').waitFor()
    for (const name of ['Edit and send again…', 'Fail once', 'curl', 'Pause', 'Clear 5 calls'])
      expect(await button(name).count(), name).toBe(0)
    await page.getByRole('link', { name: 'Stream', exact: true }).click()
    await page.getByText(/Cut off by a fault after/).waitFor()
    await page.getByRole('link', { name: 'Why' }).click()
    await page.getByRole('link', { name: "rule 1 of 'wanted'" }).click()
    await page.getByText('used up').waitFor()
    await page.getByText('Conversation 1 took 1 of 2 turns.').waitFor()
    expect(await button('Deactivate').count()).toBe(0)
    await page.getByRole('link', { name: '2 of 2' }).click()
    await expect.poll(() => page.locator('.rows a').count()).toBe(2)
    await button('Close file').click()
    await page.getByText('/presets/still-live').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('opens when it is dropped on the page', async () => {
    await page.evaluate((content) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([content], 'dropped.json'))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }, text)
    await page.getByText('Failed test recovers from a cut').waitFor()
  })

  const changed = (change: (file: ReturnType<typeof JSON.parse>) => void) => () => {
    const file = JSON.parse(text)
    change(file)
    return JSON.stringify(file)
  }
  it.each([
    ['is empty', () => '', /It is not JSON/],
    ['is binary', () => '\u0000\u0001', /It is not JSON/],
    ['is too large', () => ' '.repeat(11 * 1024 * 1024), /It is larger than 10 MiB$/],
    ['is nested too deeply', () => '['.repeat(9000) + ']'.repeat(9000), /nested too deeply$/],
    ['is another file', () => '{"log":{"entries":[]}}', /is not a failed test's file$/],
    ['is from another version', changed((file) => (file.version = 2)), /another version of Understudy/],
    ['has a status as text', changed((file) => (file.entries[0].status = '<img>')), /entries.*status/],
    ['has no timeline', changed((file) => delete file.entries[0].timeline), /entries.*timeline/],
    [
      'has an invalid rule',
      changed((file) => (file.scenarios[0].rules[0].source.fault = [null])),
      /invalid rule/,
    ],
    ['has a node as a name', changed((file) => (file.test = { type: 'img', props: {} })), /test/],
  ])('is rejected in one line if it %s', async (_, content, message) => {
    await choose('hostile.json', Buffer.from(content()))
    const line = page.getByText("Cannot open 'hostile.json'")
    await line.waitFor()
    expect(await line.textContent()).toMatch(message)
    expect(await page.getByText('From a file').count()).toBe(0)
  })
})
