/**
 * Calls of a sandbox in another process that nobody has awaited: its end tells of one that has failed.
 */

/** A promise that knows whether anybody has asked how it ends. */
class Answer<Value> extends Promise<Value> {
  isSeen = false

  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  // biome-ignore lint/suspicious/noThenProperty: every promise has one, and it is what `await` calls.
  override then<Result = Value, Caught = never>(
    read?: ((value: Value) => Result | PromiseLike<Result>) | null,
    caught?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Result | Caught> {
    this.isSeen = true
    return super.then(read, caught)
  }
}

interface Call {
  /** `journal.clear` */
  readonly name: string
  readonly answer: Answer<unknown>
  /** Undefined while it is under way. */
  error?: Error
}

/** They stay open until something happens, or are the end itself: nobody need wait for them at the end. */
const exempt: readonly string[] = ['journal.waitFor', 'dispose', String(Symbol.asyncDispose)]

export class Unawaited {
  readonly #calls = new Set<Call>()

  /**
   * The same methods, noticed here.
   *
   * @param prefix `journal.`
   */
  notice<Api extends object>(api: Api, prefix = ''): Api {
    return new Proxy(api, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function' || key === 'constructor') return value
        const name = `${prefix}${String(key)}`
        const call = (...args: unknown[]) => value.apply(target, args)
        return exempt.includes(name) ? call : (...args: unknown[]) => this.#kept(name, call(...args))
      },
    })
  }

  #kept(name: string, result: unknown): unknown {
    if (!(result instanceof Promise)) return result
    const answer = new Answer((resolve, reject) => void result.then(resolve, reject))
    const call: Call = { name, answer }
    this.#calls.add(call)
    const forget = () => this.#calls.delete(call)
    result.then(forget, (error: Error) => {
      if (answer.isSeen) forget()
      else call.error = error
    })
    return answer
  }

  /** Waits for the calls that are under way. Throws where one has failed, or fails: nobody else has seen it. */
  async finish(sandbox: string): Promise<void> {
    for (const { name, answer, error: known } of this.#calls) {
      if (known && answer.isSeen) continue
      const error = known ?? (await failureOf(answer))
      if (!error) continue
      const message = `'${name}' of sandbox '${sandbox}' was not awaited, and has failed: ${error.message}`
      throw new Error(`${message} (put \`await\` before the call)`, { cause: error })
    }
  }
}

async function failureOf(answer: Promise<unknown>): Promise<Error | undefined> {
  try {
    await answer
    return undefined
  } catch (error) {
    return error as Error
  }
}
