/**
 * Unpacks Chromium before test files run concurrently: the first launch unpacks it, and a second launch would start an
 * incomplete program. Global setup for the `slow` project.
 */
import packed from '@sparticuz/chromium'

export default async function unpackBrowser(): Promise<void> {
  await packed.executablePath()
}
