/** Connects copies of the package in one process, such as its ES module and its CommonJS build. */

/** Returns a value that all copies in a realm share. The first copy sets it. */
export function sharedByCopies<Value>(name: string, first: Value, realm: object = globalThis): Value {
  const key = Symbol.for(`gateway-understudy.${name}`)
  if (!(key in realm)) Object.defineProperty(realm, key, { value: first })
  return Reflect.get(realm, key)
}

/** Makes `instanceof` also match the errors of other copies. */
export function matchAcrossCopies(name: string, kind: { readonly prototype: Error }): void {
  const brand = Symbol.for(`gateway-understudy.${name}`)
  Object.defineProperty(kind.prototype, brand, { value: true })
  Object.defineProperty(kind, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return this === kind ? brand in Object(value) : Function.prototype[Symbol.hasInstance].call(this, value)
    },
  })
}
