/**
 * Takes the place of undici's global dispatcher: Node's own `fetch`, and npm's `undici`, ask it at the time of each
 * call, so that clients made before are reached too.
 */
import { runInThisContext } from 'node:vm'
import { type Dispatcher, type DispatchOptions, type Handler, withCallbacks } from './intercept-undici.ts'

/** Where dispatchers stand: `1` is read by Node's own `fetch` and undici up to 7, `2` by undici 8. */
const [first, second] = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')]

type Places = { [place: symbol]: Dispatcher | undefined }
/** Those of Node itself: a test runner may run its tests in a realm of their own, whose `fetch` is still Node's. */
const places: Places = runInThisContext('globalThis')

/** Answers a call in the place of the network, or lets it go its way, by `pass`. */
export type Intercept = (options: DispatchOptions, handler: Handler, pass: Pass) => boolean
export type Pass = (options: DispatchOptions) => boolean

/** Starts to intercept; the function returned ends that, and puts back what was there. */
export function interceptDispatcher(intercept: Intercept): () => void {
  // Node puts its dispatcher there when it loads `fetch`, which it does when somebody first looks at one of its classes.
  if (places[first] === undefined) void globalThis.Headers
  const state = { on: true }
  const original = places[first] as Dispatcher
  const substitute = inPlaceOf(original, state, intercept)
  places[first] = substitute

  const restore = [() => putBack(first, substitute, original)]
  const other = places[second]
  if (other === undefined) restore.push(reserve(original, state, intercept))
  else {
    const substitute2 = other === original ? substitute : inPlaceOf(other, state, intercept)
    places[second] = substitute2
    restore.push(() => putBack(second, substitute2, other))
  }
  return () => {
    state.on = false
    for (const each of restore) each()
  }
}

/** Whoever has put a dispatcher of their own in the meantime keeps it. */
function putBack(place: symbol, substitute: Dispatcher, original: Dispatcher): void {
  if (places[place] === substitute) places[place] = original
}

/**
 * The dispatcher with another `dispatch`. Somebody may hold it when the interception is over: it then does what the
 * original does.
 */
function inPlaceOf(original: Dispatcher, state: { on: boolean }, intercept: Intercept): Dispatcher {
  const dispatch = (options: DispatchOptions, handler: Handler) => {
    const pass: Pass = (passed) => original.dispatch(passed, handler)
    return state.on ? intercept(options, handler, pass) : pass(options)
  }
  return new Proxy(original, {
    get(target, key) {
      if (key === 'dispatch') return dispatch
      const value = Reflect.get(target, key)
      // Methods that end the dispatcher use its private fields; the others only call `dispatch`.
      return key === 'close' || key === 'destroy' ? (value as () => unknown).bind(target) : value
    },
  })
}

/**
 * Holds the place of undici 8 where it has not been loaded: when it is, it takes what it finds there, and would else
 * put a dispatcher of its own in both places. Once it has looked, something must stay there for good.
 */
function reserve(original: Dispatcher, state: { on: boolean }, intercept: Intercept): () => void {
  const legacy: Dispatcher = {
    dispatch: (options, handler) => original.dispatch(options, withCallbacks(handler)),
  }
  const substitute = inPlaceOf(legacy, state, intercept)
  const hold = (value: Dispatcher) =>
    Object.defineProperty(places, second, { value, writable: true, configurable: true })
  let isRead = false
  const get = () => {
    isRead = true
    return substitute
  }
  Object.defineProperty(places, second, { get, set: hold, configurable: true })
  return () => {
    if (Object.getOwnPropertyDescriptor(places, second)?.get !== get) return
    if (isRead) hold(substitute)
    else delete places[second]
  }
}
