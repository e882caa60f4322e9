/**
 * Replaces undici's global dispatchers. Node's `fetch` and npm's `undici` look them up on each request, so existing
 * clients are also intercepted.
 */
import type { Dispatcher } from 'undici'
import type { Handler } from './intercept-undici.ts'
import { realm, registry, replace, restore, substituteAt } from './interceptions.ts'

/** Keys of the global dispatchers. Node's `fetch` and undici up to 7 use `1`; undici 8 and Node 26 use `2`. */
const keys = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

export type Intercept = (options: Dispatcher.DispatchOptions, handler: Handler, pass: Pass) => boolean
export type Pass = (options: Dispatcher.DispatchOptions) => boolean

/**
 * Waits for dispatchers that undici defines when it loads. Loading Node's `fetch` here would cost 35 ms, even
 * in processes that send no requests. If a global contains no dispatcher, undici defines its own (undici 8:
 * in both globals) and may use it immediately. Therefore, the getter returns undefined, and the definitions
 * that follow are intercepted.
 */
export function replaceDispatchers(): void {
  for (const key of keys) {
    if (substituteAt(realm, key)) continue
    const original = Reflect.get(realm, key)
    replace(realm, key, original ? { value: substituteFor(original) } : { get: interceptDefinitions })
  }
}

/** Intercepts the dispatchers that are defined before the next microtask. */
function interceptDefinitions(): void {
  const { Object: objects } = realm
  const { defineProperty } = objects
  if (substituteAt(objects, 'defineProperty')) return
  const value: typeof defineProperty = (object, key, attributes) => {
    const defined = defineProperty(object, key, attributes)
    if (keys.includes(key as symbol) && registry.active.length > 0) replaceDispatchers()
    return defined
  }
  replace(objects, 'defineProperty', { value })
  queueMicrotask(() => restore(objects, 'defineProperty'))
}

function substituteFor(original: Dispatcher): Dispatcher {
  const dispatch = (options: Dispatcher.DispatchOptions, handler: Handler) => {
    const chain = registry.active
    const run = (at: number, passed: Dispatcher.DispatchOptions): boolean => {
      const interception = chain[at]
      return interception
        ? interception.onDispatch(passed, handler, (next) => run(at + 1, next))
        : original.dispatch(passed, handler)
    }
    return run(0, options)
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
