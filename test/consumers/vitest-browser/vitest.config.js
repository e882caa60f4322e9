import chromium from '@sparticuz/chromium'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'

const launchOptions = {
  executablePath: await chromium.executablePath(),
  // A local server stands in for all other hosts.
  args: [...chromium.args, '--host-resolver-rules=MAP *.example 127.0.0.1'],
}

export default defineConfig({
  test: {
    globalSetup: './stand-in.js',
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({ launchOptions }),
      instances: [{ browser: 'chromium' }],
    },
  },
})
