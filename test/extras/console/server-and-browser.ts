/** Provides a server and Chromium for the tests of one file. */
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { launch } from './browser.ts'

export interface ServerAndBrowser {
  readonly server: RunningServer
  readonly browser: Browser
}

/** Starts a server and Chromium before the first test, and stops them after the last. */
export function startServerAndBrowser(options?: Parameters<typeof startServer>[0]): ServerAndBrowser {
  const setup = {} as { server: RunningServer; browser: Browser }
  beforeAll(async () => {
    setup.server = await startServer(options)
    setup.browser = await launch()
  })
  afterAll(async () => {
    await setup.browser.close()
    await setup.server.close()
  })
  return setup
}
