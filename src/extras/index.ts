/** The extras: optional features, independent of each other. The core is complete without them. */
import { chat } from './chat/index.ts'
import { webConsole } from './console/index.ts'
import { exports } from './exports/index.ts'
import { management } from './management/index.ts'
import { messages } from './messages/index.ts'
import { models } from './models/index.ts'
import { openapi } from './openapi/index.ts'
import { openrouter } from './openrouter/index.ts'
import { recordings } from './recordings/index.ts'
import { requestRules } from './request-rules/index.ts'
import { verdicts } from './verdicts/index.ts'

/** The extras in the order in which gateways create them. */
export const extras = [
  webConsole,
  // Before `openapi`, which adds only operations that nothing else implements.
  chat,
  messages,
  models,
  management,
  openapi,
  openrouter,
  recordings,
  exports,
  requestRules,
  verdicts,
] as const
