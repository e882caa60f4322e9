/**
 * Provides a server and Chromium for the tests of one file.
 */
import type { Browser } from '@playwright/test'
import { afterAll, beforeAll } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { launch } from './browser.ts'

export interface Stage {
  readonly server: RunningServer
  readonly browser: Browser
}

/** Starts both before the first test, and stops them after the last. */
export function openStage(options?: Parameters<typeof startServer>[0]): Stage {
  const stage = {} as { server: RunningServer; browser: Browser }
  beforeAll(async () => {
    stage.server = await startServer(options)
    stage.browser = await launch()
  })
  afterAll(async () => {
    await stage.browser.close()
    await stage.server.close()
  })
  return stage
}
