/**
 * Tests former names of options and fields wherever they are recognised.
 */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { intercept } from '../../src/node.ts'

// biome-ignore lint/suspicious/noExplicitAny: values that only JavaScript callers can pass
type Any = any
const gateway = createGateway()
const create = (options: object) => () => createGateway(options as Any)

describe('former names', () => {
  it.each<[now: string, use: () => unknown]>([
    ["'onUnhandledRequest'", () => intercept(gateway, { unhandledRequests: 'warn' } as Any)],
    ["'guard'", () => intercept(gateway, { onUnhandledRequest: 'gateway' } as Any)],
    ["'bypass'", () => intercept(gateway, { onUnhandledRequest: 'pass' } as Any)],
    ["'stream.events'", create({ streamEvents: 'documented' })],
    ["'search.limitedEngine'", create({ limitedEngine: null })],
    ["'limits.requestBodyBytes'", create({ maxBodyBytes: 1 })],
    ["'limits'", create({ journal: { entries: 1 } })],
    ["'journalEntries'", create({ limits: { entries: 1 } })],
    ["'limits.sandboxes'", create({ sandboxes: { limit: 1 } })],
    ["'limits.sandboxIdleMs'", create({ sandboxes: { idleMs: 1 } })],
    ["'recordCounts'", create({ size: { providers: 3 } })],
    ["'budgetUsd'", () => gateway.use({ on: 'createResponse', budget: 1 } as Any)],
    ["'stall'", () => gateway.use({ on: '*', reply: { frames: [{ hangUp: 'silence' }] } } as Any)],
    ["'schemaViolation'", () => gateway.journal.calls('createResponse', { brokeContract: true } as Any)],
    ["'timestamp'", () => gateway.journal.calls('createResponse', { at: '' } as Any)],
  ])('are rejected with an error that suggests %s', (now, use) => {
    expect(use).toThrow(new RegExp(`'[\\w.]+' is now ${now}`))
  })
})
