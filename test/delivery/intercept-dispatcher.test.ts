import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { interceptDispatcher, type Realm } from '../../src/delivery/intercept-dispatcher.ts'
import type { CallbackHandler, DispatchOptions } from '../../src/delivery/intercept-undici.ts'

const source = new URL('../../src/delivery/intercept-dispatcher.ts', import.meta.url)

/** Runs code in a separate process that has not loaded `fetch`, and returns the JSON that it prints. */
async function run(code: string): Promise<unknown> {
  const script = `
    import { interceptDispatcher } from '${source}'
    const place = Symbol.for('undici.globalDispatcher.1')
    const isLoaded = () => process.moduleLoadList.some((name) => name.endsWith('deps/undici/undici'))
    const has = () => Object.getOwnPropertyDescriptor(globalThis, place)
    const { fetch } = globalThis
    const { defineProperty } = Object
    const paths = []
    const listen = () => interceptDispatcher(({ path }, _, pass) => { paths.push(path); throw new Error('caught') })
    const call = (path) => fetch('http://127.0.0.1:9999' + path).catch(({ cause }) => cause.message)
    ${code}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  return JSON.parse(stdout)
}

it('interceptDispatcher() does not load undici before the first request, and leaves no global dispatcher behind', async () => {
  const result = await run(`
    const close = listen()
    const during = isLoaded()
    close()
    console.log(JSON.stringify({ during, after: isLoaded(), left: has() === undefined }))`)
  expect(result).toEqual({ during: false, after: false, left: true })
})

it("interceptDispatcher() intercepts the first request of a previously captured fetch and restores Node's dispatcher", async () => {
  const result = await run(`
    const close = listen()
    await call('/first')
    const before = has().value
    close()
    const restored = has().value !== before && Object.defineProperty === defineProperty
    console.log(JSON.stringify({ paths, restored }))`)
  expect(result).toEqual({ paths: ['/first'], restored: true })
})

it('interceptDispatcher() also works after the dispatcher has been read, and when called again before it is closed', async () => {
  const result = await run(`
    const close = listen()
    const looked = globalThis[place] === undefined
    await 0
    const isNative = Object.defineProperty === defineProperty
    const closeSecond = listen()
    await call('/second')
    closeSecond()
    await call('/first')
    close()
    console.log(JSON.stringify({ looked, isNative, paths }))`)
  expect(result).toEqual({ looked: true, isNative: true, paths: ['/second', '/first'] })
})

describe('interceptDispatcher() in a process that has not loaded fetch', () => {
  const [first, second] = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`)) as [
    symbol,
    symbol,
  ]
  const { defineProperty } = Object

  /** Creates a global object that loads `fetch` as Node does: when one of its classes is read for the first time. */
  function start() {
    const log: string[] = []
    const native = {
      dispatch({ path }: DispatchOptions, handler: unknown) {
        log.push(`node ${path}`)
        ;(handler as CallbackHandler).onError?.(new Error('offline'))
        return true
      },
    }
    const realm: Realm = {
      Object: { defineProperty },
      get Headers() {
        log.push('load')
        if (realm[first] === undefined)
          realm.Object.defineProperty(realm, first, { value: native, writable: true })
        return undefined
      },
    }
    const listen = (name: string) =>
      interceptDispatcher((options, _, pass) => {
        log.push(`${name} ${options.path}`)
        return pass(options)
      }, realm)
    const send = (path: string, place = first) => realm[place]?.dispatch({ path, method: 'GET' }, {})
    /** Returns the global dispatchers, without reading them. */
    const left = () =>
      [first, second].map((place) => {
        const { get, value } = Object.getOwnPropertyDescriptor(realm, place) ?? {}
        return get ? 'getter' : value === native ? 'native' : value && 'substitute'
      })
    return { realm, native, log, listen, send, left }
  }

  it('leaves nothing behind if no request was sent', () => {
    const { log, listen, left, realm } = start()
    const close = listen('one')
    expect(left()).toEqual(['getter', 'getter'])
    close()
    expect([left(), Object.getOwnPropertySymbols(realm), log]).toEqual([[undefined, undefined], [], []])
  })

  it("replaces the dispatcher that Node defines, and restores it and Node's defineProperty", () => {
    const { realm, log, listen, send, left } = start()
    const close = listen('one')
    Reflect.get(realm, 'Headers')
    expect(realm.Object.defineProperty).toBe(defineProperty)
    expect(left()).toEqual(['substitute', 'getter'])
    send('/a')
    close()
    send('/b')
    expect(log).toEqual(['load', 'one /a', 'node /a', 'node /b'])
    expect(left()).toEqual(['native', undefined])
  })

  it('defines other properties as usual while Node loads fetch', () => {
    const { realm, listen, log, send } = start()
    listen('one')
    Reflect.get(realm, first)
    realm.Object.defineProperty(realm, 'other', { value: 1 })
    expect([Reflect.get(realm, 'other'), log]).toEqual([1, []])
    Reflect.get(realm, 'Headers')
    send('/a')
    expect(log).toEqual(['load', 'one /a', 'node /a'])
  })

  it('loads fetch if other code has read the dispatcher', async () => {
    const { realm, log, listen, send } = start()
    listen('one')
    expect(realm[first]).toBeUndefined()
    await undefined
    send('/a')
    expect(log).toEqual(['load', 'one /a', 'node /a'])
  })

  it('loads fetch for a second interception, which gets requests before the first', () => {
    const { log, listen, send, left } = start()
    const closeOne = listen('one')
    const closeTwo = listen('two')
    send('/a')
    closeTwo()
    send('/b')
    closeOne()
    send('/c')
    expect(log).toEqual(['load', 'two /a', 'one /a', 'node /a', 'one /b', 'node /b', 'node /c'])
    expect(left()[0]).toBe('native')
  })

  it('gives undici 8 a dispatcher that remains, and that passes requests to Node afterwards', () => {
    const { realm, log, listen, send, left } = start()
    const close = listen('one')
    const errors: unknown[] = []
    const { dispatch } = realm[second] ?? {}
    const handler = {
      onRequestStart() {},
      onResponseError: (_: unknown, { message }: Error) => errors.push(message),
    }
    dispatch?.({ path: '/a', method: 'GET' }, handler)
    expect([log, errors]).toEqual([['load', 'one /a', 'node /a'], ['offline']])
    expect(left()).toEqual(['substitute', 'getter'])
    close()
    expect(left()).toEqual(['native', 'substitute'])
    send('/b', second)
    expect(log.slice(3)).toEqual(['node /b'])
    const again = listen('two')
    send('/c', second)
    again()
    send('/d', second)
    expect(log.slice(4)).toEqual(['two /c', 'node /c', 'node /d'])
  })

  it('keeps the dispatchers that other code sets in the meantime', () => {
    const { realm, listen, left } = start()
    const theirs = { dispatch: () => false }
    const close = listen('one')
    Reflect.get(realm, 'Headers')
    realm[second] = theirs
    realm[first] = theirs
    close()
    expect([realm[first], realm[second]]).toEqual([theirs, theirs])
    realm[second] = undefined
    expect(left()[1]).toBeUndefined()
  })

  it("intercepts requests through undici 8's dispatcher if it exists", () => {
    const { realm, native, log, listen, send, left } = start()
    Reflect.get(realm, 'Headers')
    realm[second] = native
    const close = listen('one')
    expect(realm[second]).toBe(realm[first])
    send('/a', second)
    close()
    expect(left()).toEqual(['native', 'native'])
    expect(log).toEqual(['load', 'one /a', 'node /a'])
  })
})
