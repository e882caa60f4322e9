/**
 * Tests that errors thrown by public functions begin with the call, and that their stack traces start at the
 * caller.
 */
import { runInThisContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createGateway, defineScenario, parseScenario } from '../../src/index.ts'
import { messageWithoutCall } from '../../src/lib/at-caller.ts'
import { handlers } from '../../src/msw.ts'
import { intercept } from '../../src/node.ts'
import { connectGateway } from '../../src/remote.ts'
import { startServer } from '../../src/serve.ts'

// biome-ignore lint/suspicious/noExplicitAny: values that only JavaScript callers can pass
type Any = any

const gateway: Any = createGateway()
const sandbox: Any = gateway.createSandbox()
const disposed: Any = gateway.createSandbox()
disposed.dispose()

/** Invalid calls. Each key is the function's name, with which the error message must start, and an optional note. */
const mistakes: Record<string, () => unknown> = {
  createGateway: () => createGateway({ sead: 7 } as Any),
  'createGateway with a scenario': () => createGateway({ scenarios: [{ rules: [{ on: 'x' }] }] } as Any),
  'createGateway with an operation': () => createGateway({ operations: [{ id: 'a' }] } as Any),
  createSandbox: () => gateway.createSandbox({ sead: 7 }),
  openSandbox: () => gateway.openSandbox({}),
  use: () => gateway.use({ on: 'createRespons', fault: 'timeout' }),
  'use of a sandbox': () => sandbox.use('provider-outtage'),
  fail: () => sandbox.fail('503'),
  reply: () => sandbox.reply(7),
  'reply with a function': () => sandbox.reply(() => 'Hello', 7),
  script: () => sandbox.script([{ txt: 'Hello' }]),
  parseScenario: () => parseScenario({ rules: [] }),
  defineScenario: () => defineScenario({ name: 'a', rules: [] }),
  'run of a foreign sandbox': () => gateway.run('s1', () => {}),
  'run without a function': () => sandbox.run(),
  restore: () => sandbox.restore({ id: 'x' }),
  fork: () => disposed.fork(),
  save: () => disposed.save(),
  'clock.advance': () => sandbox.clock.advance('soon'),
  'journal.calls': () => sandbox.journal.calls('createRespons'),
  'journal.entry': () => sandbox.journal.entry('c9'),
  'journal.waitFor': () => sandbox.journal.waitFor('createRespons'),
  'db.create': () => sandbox.db.providers.create({ slug: 7 }),
  'db.update': () => sandbox.db.providers.update('nobody', { name: 'A' }),
  'db.delete': () => sandbox.db.providers.delete('nobody'),
  handlers: () => handlers(gateway, 'createRespons' as Any),
  intercept: () => intercept(gateway, { onUnhandledRequests: 'warn' } as Any),
  startServer: () => startServer({ prot: 1 } as Any),
  connectGateway: () => connectGateway('nowhere'),
}

const framesOf = (error: Error) => (error.stack ?? '').split('\n').filter((line) => /^ +at /.test(line))

describe("an error's stack trace", () => {
  it.each(Object.keys(mistakes))('starts at the caller of %s', async (name) => {
    const error = await (async () => {
      try {
        await mistakes[name]?.()
      } catch (error) {
        return error as Error
      }
      throw new Error(`Expected ${name} to throw`)
    })()
    expect(framesOf(error)[0], error.stack).toContain('at-caller.test.ts')
    expect(error.stack).toContain(error.message)
    const [call = ''] = name.replace('db.', 'db.providers.').split(' ')
    expect(error.message).toMatch(new RegExp(`^${call.replaceAll('.', '\\.')}(\\(|:| takes)`))
  })

  it("starts at the caller of a remote client's method", async () => {
    const server = await startServer()
    onTestFinished(() => server.close())
    const remote = await connectGateway(server.url)
    const error = await remote.use({ on: 'createRespons' } as Any).catch((error) => error)
    expect(framesOf(error)[0], error.stack).toContain('at-caller.test.ts')
  })

  it('starts at a caller in another folder named src', () => {
    const useAt = runInThisContext('(gateway, rule) => gateway.use(rule)', {
      filename: '/home/me/src/app.js',
    })
    const use = () => useAt(gateway, { on: 'createRespons', fault: 'timeout' })
    expect(use).toThrow(/^use\(\): /)
  })

  it('does not need stack frames', () => {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    try {
      expect(() => gateway.use({ on: 'createRespons', fault: 'timeout' })).toThrow(/^use\(\): /)
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
  })

  it('does not need a caller outside Node', async () => {
    const rule: Any = { on: 'createRespons', fault: 'timeout' }
    await expect(Promise.resolve(rule).then(gateway.use.bind(gateway))).rejects.toThrow(/^use\(\): /)
  })

  it('is accompanied by a message that replies can show without the call', () => {
    let error = new Error('none')
    try {
      gateway.use({ on: 'createRespons', fault: 'timeout' })
    } catch (thrown) {
      error = thrown as Error
    }
    expect(`use(): ${messageWithoutCall(error)}`).toBe(error.message)
    expect(messageWithoutCall(new Error('other'))).toBe('other')
  })

  it("is unchanged for errors thrown by the caller's own function", () => {
    const mine = new Error('mine')
    const { stack } = mine
    const throwMine = () => {
      throw mine
    }
    expect(() => sandbox.run(throwMine)).toThrow(mine)
    expect(mine.stack).toBe(stack)
  })
})
