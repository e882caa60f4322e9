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
const { Object: objects }: { Object: ObjectConstructor } = runInThisContext('({ Object })')

/** Answers a call in the place of the network, or lets it go its way, by `pass`. */
export type Intercept = (options: DispatchOptions, handler: Handler, pass: Pass) => boolean
export type Pass = (options: DispatchOptions) => boolean

/** Starts to intercept; the function returned ends that, and puts back what was there. */
export function interceptDispatcher(intercept: Intercept): () => void {
  // Another interception waits already: one of this copy of the package, or of another.
  if (Object.getOwnPropertyDescriptor(places, first)?.get) loadFetch()
  if (places[first] !== undefined) return takePlaces(places[first], intercept)
  let restore = whenMade((made) => {
    restore = takePlaces(made, intercept)
  })
  return () => restore()
}

function takePlaces(original: Dispatcher, intercept: Intercept): () => void {
  const state = { on: true }
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

/** Node loads `fetch` when somebody first looks at one of its classes. */
function loadFetch(): void {
  runInThisContext('globalThis.Headers')
}

/**
 * Tells of the dispatcher that Node makes when it loads `fetch`. That takes 35 ms, which a process that calls nobody
 * does without. Node looks whether there is a dispatcher, defines its own where there is none, and may use it at
 * once: so whoever looks is told that there is none, and the definition that follows is heard.
 *
 * @returns What ends the wait.
 */
function whenMade(tell: (made: Dispatcher) => void): () => void {
  const { defineProperty } = objects
  const look = () => {
    stop()
    objects.defineProperty = (object, key, attributes) => {
      if (key !== first) return defineProperty(object, key, attributes)
      objects.defineProperty = defineProperty
      const defined = defineProperty(object, key, attributes)
      tell(attributes.value)
      return defined
    }
    // It may have been somebody else who looked.
    queueMicrotask(loadFetch)
    return undefined
  }
  const freeFirst = hold(first, look)
  // Undici 8 looks here, and takes what it finds.
  const freeSecond = hold(second, () => {
    freeSecond()
    loadFetch()
    return places[second]
  })
  const stop = () => {
    freeFirst()
    freeSecond()
  }
  return stop
}

/**
 * Answers whoever looks at an empty place, until somebody puts a dispatcher there.
 *
 * @returns What ends that, and may leave a dispatcher there.
 */
function hold(place: symbol, get: () => Dispatcher | undefined): (left?: Dispatcher) => void {
  const set = (value: Dispatcher) =>
    Object.defineProperty(places, place, { value, writable: true, configurable: true })
  // mutation: equivalent: tested in a process without mutants
  Object.defineProperty(places, place, { get, set, configurable: true })
  return (left) => {
    if (Object.getOwnPropertyDescriptor(places, place)?.get !== get) return
    if (left) set(left)
    else delete places[place]
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
  let isRead = false
  const free = hold(second, () => {
    isRead = true
    return substitute
  })
  return () => free(isRead ? substitute : undefined)
}
