/**
 * Takes screenshots of every screen, in light, dark and narrow form:
 * `node test/extras/console/screenshots.ts FOLDER`. Without a folder, updates the two screenshots in docs/journal.md.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from '../../../src/serve.ts'
import { launch } from './browser.ts'
import { makeMoreCalls, makeSampleCalls, screensOf } from './sample-calls.ts'

const [folder] = process.argv.slice(2)
const docs = join(import.meta.dirname, '../../../docs')

interface Shot {
  file: string
  screen: string
  colorScheme: 'light' | 'dark'
  width: number
  height: number
}

await using server = await startServer({ latency: { perToken: 5 } })
await server.gateway.createSandbox({ id: 'checkout-test' })
const screens = screensOf(await makeSampleCalls(server), await makeMoreCalls(server))

const shots: Shot[] =
  folder === undefined
    ? [
        {
          file: join(docs, 'console-why.png'),
          screen: 'limited',
          colorScheme: 'light',
          width: 1200,
          height: 540,
        },
        {
          file: join(docs, 'console-stream.png'),
          screen: 'stream',
          colorScheme: 'dark',
          width: 1200,
          height: 540,
        },
      ]
    : Object.keys(screens).flatMap((screen) =>
        (['light', 'dark'] as const).flatMap((colorScheme) =>
          [1440, 800, 400].map((width) => ({
            file: join(folder, `${screen}-${colorScheme}-${width}.png`),
            screen,
            colorScheme,
            width,
            height: 800,
          })),
        ),
      )
if (folder !== undefined) mkdirSync(folder, { recursive: true })

const browser = await launch()
for (const { file, screen, colorScheme, width, height } of shots) {
  const page = await browser.newPage({ colorScheme, viewport: { width, height } })
  await page.goto(`${server.url}/__understudy/${screens[screen]}`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.waitForLoadState('networkidle', { timeout: 500 }).catch(() => undefined)
  await page.screenshot({ path: file })
  await page.close()
}
await browser.close()
