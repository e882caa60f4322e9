/**
 * Replaces undici's global dispatchers. Node's `fetch` and npm's `undici` look them up on each request, so existing
 * clients are also intercepted.
 */
import { runInThisContext } from 'node:vm'
import type { Dispatcher, DispatchOptions, Handler } from './intercept-undici.ts'

/** Keys of the global dispatchers. Node's `fetch` and undici up to 7 use `1`; undici 8 and Node 26 use `2`. */
const keys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')] as const

interface Realm {
  [key: symbol]: Dispatcher | undefined
  readonly Object: Pick<ObjectConstructor, 'defineProperty'>
}

/** Global object of Node's main realm. Test runners may run tests in another one, but `fetch` still uses this one. */
const realm: Realm = runInThisContext('globalThis')

export type Intercept = (options: DispatchOptions, handler: Handler, pass: Pass) => boolean
export type Pass = (options: DispatchOptions) => boolean

/** Active interceptions, newest first. */
let active: readonly Intercept[] = []
const substitutes = new WeakSet<Dispatcher>()
const getters = new WeakSet<() => unknown>()
let restores: Array<() => void> = []

/** Returns a function that stops the interception and restores the original dispatchers. */
export function interceptDispatcher(intercept: Intercept): () => void {
  active = [intercept, ...active]
  for (const key of keys) install(key)
  return () => {
    active = active.filter((each) => each !== intercept)
    if (active.length > 0) return
    for (const restore of restores.toReversed()) restore()
    restores = []
  }
}

function install(key: symbol): void {
  const getter = getterOf(key)
  if (getter && getters.has(getter)) return
  const original = getter ? undefined : realm[key]
  if (original === undefined) awaitDispatcher(key, getter)
  else if (!substitutes.has(original)) replace(key, original)
}

function getterOf(key: symbol): (() => unknown) | undefined {
  return Object.getOwnPropertyDescriptor(realm, key)?.get
}

function replace(key: symbol, original: Dispatcher): void {
  const substitute = substituteFor(original)
  realm[key] = substitute
  restores.push(() => {
    // Another dispatcher may have been set in the meantime.
    if (realm[key] === substitute) realm[key] = original
  })
}

/**
 * Waits for the dispatcher that undici defines when it loads. Waiting saves processes without requests the 35 ms that
 * loading Node's `fetch` takes. undici looks for a dispatcher in one of the globals, defines its own if there is none
 * (undici 8 in both), and may use it immediately. Therefore, the getter returns undefined, and the definitions that
 * follow are intercepted.
 *
 * @param previous Getter of another copy of this package, which is also waiting.
 */
function awaitDispatcher(key: symbol, previous: (() => unknown) | undefined): void {
  const get = () => {
    previous?.()
    interceptDefinitions()
    return undefined
  }
  const set = (value: unknown) => Object.defineProperty(realm, key, { value, writable: true })
  const wait = (get: () => unknown) => Object.defineProperty(realm, key, { get, set, configurable: true })
  wait(get)
  getters.add(get)
  restores.push(() => {
    if (getterOf(key) !== get) return
    if (previous) wait(previous)
    else delete realm[key]
  })
}

/** Intercepts the dispatchers that are defined until the next microtask. */
function interceptDefinitions(): void {
  const { Object: objects } = realm
  const { defineProperty } = objects
  const intercepted: typeof defineProperty = (object, key, attributes) => {
    const defined = defineProperty(object, key, attributes)
    const dispatcher = keys.find((each) => each === key)
    if (dispatcher && active.length > 0) replace(dispatcher, realm[dispatcher] as Dispatcher)
    return defined
  }
  objects.defineProperty = intercepted
  queueMicrotask(() => {
    if (objects.defineProperty === intercepted) objects.defineProperty = defineProperty
  })
}

function substituteFor(original: Dispatcher): Dispatcher {
  const dispatch = (options: DispatchOptions, handler: Handler) => {
    const chain = active
    const run = (at: number, passed: DispatchOptions): boolean => {
      const intercept = chain[at]
      return intercept
        ? intercept(passed, handler, (next) => run(at + 1, next))
        : original.dispatch(passed, handler)
    }
    return run(0, options)
  }
  const substitute = new Proxy(original, {
    get(target, key) {
      if (key === 'dispatch') return dispatch
      const value = Reflect.get(target, key)
      // Methods that close the dispatcher use its private fields; all others only call `dispatch`.
      return key === 'close' || key === 'destroy' ? (value as () => unknown).bind(target) : value
    },
  })
  substitutes.add(substitute)
  return substitute
}
