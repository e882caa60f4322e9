/** Compares the globals that interception and MSW replace before and after. */
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import tls from 'node:tls'

const agent = ['addRequest', 'createConnection', 'createSocket', 'getName']
const globals = new Map<object, readonly PropertyKey[]>([
  [globalThis, ['fetch', 'Request', 'Response', 'Headers', 'XMLHttpRequest', 'WebSocket', 'EventSource']],
  [http, ['request', 'get', 'ClientRequest', 'globalAgent']],
  [https, ['request', 'get', 'globalAgent']],
  [http.Agent.prototype, agent],
  [https.Agent.prototype, agent],
  [net, ['connect', 'createConnection', 'Socket']],
  [net.Socket.prototype, ['connect', 'write']],
  [tls, ['connect', 'TLSSocket']],
  [Object, ['defineProperty']],
])
const dispatchers = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`))

/**
 * Returns the value and the fields of the descriptor of each global. Reads the values first, because a closed
 * interception below MSW restores a method when it is read.
 */
export function readGlobals(): Map<string, unknown> {
  return new Map(
    [...globals, [globalThis, dispatchers] as const].flatMap(([owner, names], at) =>
      names.flatMap((name) => {
        const fields = { is: Reflect.get(owner, name), ...Object.getOwnPropertyDescriptor(owner, name) }
        return Object.entries(fields).map(
          ([field, value]) => [`${String(name)} ${field} ${at}`, value] as const,
        )
      }),
    ),
  )
}

/** Returns the names of the globals that are no longer identical. */
export function changedGlobals(before: ReadonlyMap<string, unknown>): string[] {
  const after = readGlobals()
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => !Object.is(before.get(name), after.get(name)))
}

/** Returns all orders of a list. */
export function orders(names: readonly string[]): string[][] {
  if (names.length < 2) return [[...names]]
  return names.flatMap((first) =>
    orders(names.filter((name) => name !== first)).map((rest) => [first, ...rest]),
  )
}
