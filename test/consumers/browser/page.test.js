import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { chromium as playwright } from '@playwright/test'
import chromium from '@sparticuz/chromium'
import { preview } from 'vite'

let browser
let server

before(async () => {
  server = await preview({ preview: { port: 0, host: '127.0.0.1' } })
  browser = await playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args })
})

after(async () => {
  await browser?.close()
  await server?.close()
})

test('the gateway replies to a page from its service worker', async () => {
  const page = await browser.newPage()
  const problems = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto(`http://127.0.0.1:${server.httpServer.address().port}/`)
  await page.getByText('listProviders, createResponse').waitFor({ timeout: 20_000 })
  assert.equal(await page.locator('#providers').textContent(), '12 providers')
  assert.equal(await page.locator('#answer').textContent(), 'Tides follow the moon, and the sun a little.')
  const lengths = await page.evaluate(() => window.lengths)
  assert.ok(lengths.length > 4, `the answer came in ${lengths.length} parts`)
  assert.deepEqual(problems, [])
})

test('the bundle imports nothing from Node, and loads optional parts separately', async () => {
  const files = (await readdir('dist/assets')).filter((name) => name.endsWith('.js'))
  for (const file of files) {
    assert.doesNotMatch(
      await readFile(`dist/assets/${file}`, 'utf8'),
      /from\s*["']node:|__vite-browser-external/,
    )
  }
  const [, entry] = /<script type="module"[^>]* src="([^"]+)"/.exec(await readFile('dist/index.html', 'utf8'))
  const { length } = await readFile(`dist${entry}`, 'utf8')
  assert.ok(length < 900_000, `the page loads ${length} bytes at once`)
})
