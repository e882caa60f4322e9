/**
 * The extras: optional features, independent of each other. The core is complete without them.
 */
import { webConsole } from './console/index.ts'
import { exports } from './exports/index.ts'
import { openapi } from './openapi/index.ts'
import { openrouter } from './openrouter/index.ts'
import { recordings } from './recordings/index.ts'
import { accountResources } from './resources/index.ts'

/** The extras in the order in which gateways create them. */
export const extras = [
  webConsole,
  // Before `openapi`, which adds only operations that nothing else implements.
  accountResources,
  openapi,
  openrouter,
  recordings,
  exports,
] as const
