/** The active interceptions of a process. All copies of the package share them, so each global is replaced once. */
import { runInThisContext } from 'node:vm'
import type { GatewayCore } from '../gateway/gateway.ts'
import { sharedByCopies } from '../lib/copies.ts'
import type { Outgoing } from './intercept-destination.ts'
import type { Intercept } from './intercept-dispatcher.ts'
import type { InterceptFetch } from './intercept-fetch.ts'
import type { Judge } from './intercept-http.ts'

export interface ActiveInterception {
  readonly gateway: GatewayCore
  handles(outgoing: Outgoing): boolean
  readonly onDispatch: Intercept
  readonly onRequest: Judge
  readonly onFetch: InterceptFetch
}

interface Registry {
  /** Newest first. */
  active: readonly ActiveInterception[]
  /** Original properties, keyed by the value or getter that replaces them; undefined if there was no property. */
  readonly originals: WeakMap<object, PropertyDescriptor | undefined>
  /** Properties to restore once no interception is active. */
  readonly places: Array<readonly [owner: object, key: PropertyKey]>
}

/** Global object of Node's main realm. Test runners may use another realm, but `fetch` still uses this object. */
export const realm: Pick<typeof globalThis, 'Object'> = runInThisContext('globalThis')

const none: Registry = { active: [], originals: new WeakMap(), places: [] }
export const registry = sharedByCopies('interceptions', none, realm)

/** Adds an interception and returns a function that removes it. Removing the last interception restores the globals. */
export function activate(interception: ActiveInterception): () => void {
  registry.active = [interception, ...registry.active]
  return () => {
    registry.active = registry.active.filter((each) => each !== interception)
    if (registry.active.length === 0) for (const place of registry.places) restore(...place)
  }
}

export function substituteAt(owner: object, key: PropertyKey): object | undefined {
  const { get, value } = Object.getOwnPropertyDescriptor(owner, key) ?? {}
  return registry.originals.has(get ?? value) ? (get ?? value) : undefined
}

export function replace(owner: object, key: PropertyKey, by: { value: object } | { get(): unknown }): void {
  const { originals, places } = registry
  originals.set('get' in by ? by.get : by.value, Object.getOwnPropertyDescriptor(owner, key))
  if (!places.some((place) => place[0] === owner && place[1] === key)) places.push([owner, key])
  // Also runs for an object that inherits the property.
  const set = function (this: object, value: unknown) {
    Object.defineProperty(this, key, { value, writable: true, enumerable: true, configurable: true })
  }
  Object.defineProperty(owner, key, 'get' in by ? { ...by, set, enumerable: true, configurable: true } : by)
}

/** Restores a property, unless other code has replaced it in the meantime. */
export function restore(owner: object, key: PropertyKey): void {
  const substitute = substituteAt(owner, key)
  const original = substitute && registry.originals.get(substitute)
  if (original) Object.defineProperty(owner, key, original)
  else if (substitute) Reflect.deleteProperty(owner, key)
}

/**
 * Replaces a method with a getter. Other mocks, such as MSW, may put the getter back after our last interception has
 * been closed. The getter then restores the original.
 */
export function replaceMethod<Method>(
  owner: object,
  name: string,
  substituteFor: (original: Method) => Method,
): void {
  if (substituteAt(owner, name)) return
  const original = Reflect.get(owner, name)
  const substitute = substituteFor(original)
  const get = () => {
    if (registry.active.length > 0) return substitute
    restore(owner, name)
    return original
  }
  replace(owner, name, { get })
}
