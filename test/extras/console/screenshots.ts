/** Updates the two screenshots in docs/journal.md: `node test/extras/console/screenshots.ts`. */
import { join } from 'node:path'
import { startServer } from '../../../src/serve.ts'
import { launch } from './browser.ts'
import { makeMoreCalls, makeSampleCalls, screensOf } from './sample-calls.ts'

await using server = await startServer({ latency: { perToken: 5 } })
await server.gateway.createSandbox({ id: 'checkout-test' })
const screens = screensOf(await makeSampleCalls(server), await makeMoreCalls(server))

const browser = await launch()
for (const { file, screen, colorScheme } of [
  { file: 'console-why.png', screen: 'limited', colorScheme: 'light' },
  { file: 'console-stream.png', screen: 'stream', colorScheme: 'dark' },
] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1200, height: 540 } })
  await page.goto(`${server.url}/__understudy/${screens[screen]}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => undefined)
  await page.screenshot({ path: join(import.meta.dirname, '../../../docs', file) })
  await page.close()
}
await browser.close()
