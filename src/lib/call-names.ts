/** Starts the errors of public functions with the call, as in `use(): times must be 1 or more, got 0`. */

const messages = new WeakMap<Error, string>()

/** Returns an error's message without the call, for replies: an HTTP client has not called the function. */
export function messageWithoutCall(error: Error): string {
  return messages.get(error) ?? error.message
}

/** Runs a public function's work, sync or async. If it calls another public function, errors name the outer one. */
export function inCall<Result>(call: string, work: () => Result): Result {
  const fail = (error: unknown): never => {
    throw nameCall(call, error)
  }
  try {
    const result = work()
    return result instanceof Promise ? (result.catch(fail) as Result) : result
  } catch (error) {
    return fail(error)
  }
}

/** Wraps methods of a class in `inCall`. @param path Returns the part of the call before the method. Default: none. */
export function nameCalls<Instance extends object>(
  { prototype }: { prototype: Instance },
  names: ReadonlyArray<keyof Instance & string>,
  path: (instance: Instance) => string = () => '',
): void {
  for (const name of names) {
    const method = prototype[name] as (...args: unknown[]) => unknown
    Reflect.set(prototype, name, function (this: Instance, ...args: unknown[]) {
      return inCall(`${path(this)}${name}()`, () => Reflect.apply(method, this, args))
    })
  }
}

function nameCall(call: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const message = messageWithoutCall(error)
  const name = call.replace('()', '')
  if ([`${name}(`, `${name}:`, `${name} expects`].some((start) => message.startsWith(start))) return error
  // Read first: the engine may compose the stack from the message on the first access.
  const { message: before, stack } = error
  messages.set(error, message)
  error.message = `${call}${message.startsWith('expects ') ? '' : ':'} ${message}`
  error.stack = stack?.replace(before, () => error.message) ?? ''
  return error
}
