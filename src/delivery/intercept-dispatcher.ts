/**
 * Replaces undici's global dispatcher. Node's `fetch` and npm's `undici` look it up on each request, so
 * existing clients are also intercepted.
 */
import { runInThisContext } from 'node:vm'
import { type Dispatcher, type DispatchOptions, type Handler, withCallbacks } from './intercept-undici.ts'

/** Keys of the global dispatchers. Node's `fetch` and undici up to 7 use `1`; undici 8 and Node 26 use `2`. */
const [first, second] = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')]

/** Global object of a realm. */
export interface Realm {
  [place: symbol]: Dispatcher | undefined
  readonly Object: Pick<ObjectConstructor, 'defineProperty'>
  readonly Headers: unknown
}

/** Handles a request, or calls `pass` to pass it through. */
export type Intercept = (options: DispatchOptions, handler: Handler, pass: Pass) => boolean
export type Pass = (options: DispatchOptions) => boolean

/**
 * Starts intercepting.
 *
 * @param globals Default: the global object of Node's main realm. Test runners may run tests in another realm, but
 * `fetch` still uses this one.
 * @returns A function that stops the interception and restores the original dispatcher.
 */
export function interceptDispatcher(
  intercept: Intercept,
  globals: Realm = runInThisContext('globalThis'),
): () => void {
  // Another interception, possibly from another copy of the package, is already waiting for the dispatcher.
  if (Object.getOwnPropertyDescriptor(globals, first)?.get) loadFetch(globals)
  if (globals[first] !== undefined) return replaceDispatchers(globals, globals[first], intercept)
  let restore = whenCreated(globals, (dispatcher) => {
    restore = replaceDispatchers(globals, dispatcher, intercept)
  })
  return () => restore()
}

function replaceDispatchers(globals: Realm, original: Dispatcher, intercept: Intercept): () => void {
  const state = { isActive: true }
  const substitute = substituteFor(original, state, intercept)
  globals[first] = substitute

  const restore = [() => restoreGlobal(globals, first, substitute, original)]
  const other = globals[second]
  if (other === undefined) restore.push(reserveForUndici8(globals, original, state, intercept))
  else {
    const substitute2 = other === original ? substitute : substituteFor(other, state, intercept)
    globals[second] = substitute2
    restore.push(() => restoreGlobal(globals, second, substitute2, other))
  }
  return () => {
    state.isActive = false
    for (const each of restore) each()
  }
}

/** Loads Node's `fetch` by accessing one of its classes. */
function loadFetch(globals: Realm): void {
  Reflect.get(globals, 'Headers')
}

/**
 * Calls back with the dispatcher that the first undici defines, which is Node's own when it loads `fetch`, or npm's.
 * Waiting saves processes without requests the 35 ms that loading `fetch` takes. undici looks for a dispatcher in one
 * of the globals, defines its own if there is none, and may use it immediately. Therefore, the getters return
 * undefined, and the definition that follows is intercepted. undici 8 (Node 26) defines `second` before `first`.
 *
 * @returns A function that stops waiting.
 */
function whenCreated(globals: Realm, callback: (dispatcher: Dispatcher) => void): () => void {
  const { Object: objects } = globals
  const { defineProperty } = objects
  const look = () => {
    stop()
    objects.defineProperty = (object, key, attributes) => {
      if (key !== first) return defineProperty(object, key, attributes)
      objects.defineProperty = defineProperty
      const defined = defineProperty(object, key, attributes)
      callback(attributes.value)
      return defined
    }
    // Code other than undici may have read the global.
    queueMicrotask(() => {
      if (globals[first] === undefined) loadFetch(globals)
    })
    return undefined
  }
  const releases = [first, second].map((key) => defineGetter(globals, key, look))
  const stop = () => {
    for (const release of releases) release()
  }
  return stop
}

/**
 * Defines a getter for an unset global, until a dispatcher is assigned.
 *
 * @returns A function that removes the getter, and optionally sets a dispatcher instead.
 */
function defineGetter(
  globals: Realm,
  key: symbol,
  get: () => Dispatcher | undefined,
): (left?: Dispatcher) => void {
  const set = (value: Dispatcher) => Object.defineProperty(globals, key, { value, writable: true })
  Object.defineProperty(globals, key, { get, set, configurable: true })
  return (left) => {
    if (Object.getOwnPropertyDescriptor(globals, key)?.get !== get) return
    if (left) set(left)
    else delete globals[key]
  }
}

/** Restores a global, unless another dispatcher has replaced it in the meantime. */
function restoreGlobal(globals: Realm, key: symbol, substitute: Dispatcher, original: Dispatcher): void {
  if (globals[key] === substitute) globals[key] = original
}

/**
 * Returns a proxy for the dispatcher with a different `dispatch`. After the interception has ended, the proxy behaves
 * like the original.
 */
function substituteFor(original: Dispatcher, state: { isActive: boolean }, intercept: Intercept): Dispatcher {
  const dispatch = (options: DispatchOptions, handler: Handler) => {
    const pass: Pass = (passed) => original.dispatch(passed, handler)
    return state.isActive ? intercept(options, handler, pass) : pass(options)
  }
  return new Proxy(original, {
    get(target, key) {
      if (key === 'dispatch') return dispatch
      const value = Reflect.get(target, key)
      // Methods that close the dispatcher use its private fields; all others only call `dispatch`.
      return key === 'close' || key === 'destroy' ? (value as () => unknown).bind(target) : value
    },
  })
}

/**
 * Reserves undici 8's global before undici is loaded. undici 8 uses the dispatcher that it finds there;
 * without one, it would set its own in both globals. Once undici has read the dispatcher, the dispatcher must
 * stay in place.
 */
function reserveForUndici8(
  globals: Realm,
  original: Dispatcher,
  state: { isActive: boolean },
  intercept: Intercept,
): () => void {
  const legacy: Dispatcher = {
    dispatch: (options, handler) => original.dispatch(options, withCallbacks(handler)),
  }
  const substitute = substituteFor(legacy, state, intercept)
  let isRead = false
  const release = defineGetter(globals, second, () => {
    isRead = true
    return substitute
  })
  return () => release(isRead ? substitute : undefined)
}
