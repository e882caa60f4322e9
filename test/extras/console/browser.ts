/** Starts Chromium for console tests and screenshots. */
import { type Browser, chromium, type Page } from '@playwright/test'
import packed from '@sparticuz/chromium'

export async function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: await packed.executablePath(),
    // With default arguments, this Chromium exits when its first page closes.
    args: packed.args.filter(
      (arg) => arg !== '--single-process' && !arg.startsWith('--disable-web-security'),
    ),
  })
}

export interface Watched {
  page: Page
  /** The page's problems: errors, policy violations, and requests to other hosts. */
  complaints: string[]
}

/** Opens a page and collects its problems. */
export async function open(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newPage']>[0] = {},
): Promise<Watched> {
  const page = await browser.newPage(options)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (4|5)\d\d/.test(message.text()))
      complaints.push(message.text())
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { host, protocol } = new URL(request.url())
    if (protocol.startsWith('http') && host !== new URL(url).host)
      complaints.push(`request: ${request.url()}`)
  })
  await page.goto(url)
  return { page, complaints }
}
