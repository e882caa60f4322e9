/**
 * The sandbox of the code that runs now, carried along its asynchronous calls. Where the platform has no
 * `AsyncLocalStorage`, as in a browser, there is none.
 */

/** What of `AsyncLocalStorage` is needed. */
interface Storage<Value> {
  getStore(): Value | undefined
  run<Result>(value: Value | undefined, work: () => Result): Result
  enterWith(value: Value | undefined): void
}

/** @typeParam Value What is carried. One instance for each gateway, so that gateways do not see each other's. */
export class Current<Value> {
  #storage: Storage<Value> | undefined

  /** Undefined outside of `run` and `enter`. */
  get(): Value | undefined {
    return this.#storage?.getStore()
  }

  /** Runs some work, and all that it starts, with a value. Undefined is no value. */
  run<Result>(value: Value | undefined, work: () => Result): Result {
    // mutation: equivalent: spares creating a storage
    if (value === undefined && !this.#storage) return work()
    return this.#open().run(value, work)
  }

  /** The code that runs now, and all that it starts, has the value from here on. */
  enter(value: Value): void {
    this.#open().enterWith(value)
  }

  /** Made when first needed, without an `import`, which a browser could not follow. */
  #open(): Storage<Value> {
    if (this.#storage) return this.#storage
    const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')
    if (!hooks)
      throw new Error(
        'gateway.run() needs AsyncLocalStorage, which is not here: use the key or the base URL of the sandbox',
      )
    this.#storage = new hooks.AsyncLocalStorage<Value | undefined>() as Storage<Value>
    return this.#storage
  }
}
