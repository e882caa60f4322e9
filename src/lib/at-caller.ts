/**
 * Makes errors from public functions begin with the call, as in `use(): times must be 1 or more, got 0`, and
 * start their stack at the caller's line. Errors thrown by the caller's own functions are unchanged.
 */

type Entry = (...args: never[]) => unknown

/** Error messages without the call. */
const messages = new WeakMap<Error, string>()

/** Returns an error's message without the call. Replies use it, because an HTTP client has not called the function. */
export function messageWithoutCall(error: Error): string {
  return messages.get(error) ?? error.message
}

/** Runs a public function's work, and names the call in its errors. */
export function atCaller<Result>(entry: Entry, work: () => Result, call = entry.name): Result {
  try {
    return work()
  } catch (error) {
    throw calledBy({}, entry, error, call)
  }
}

/** Same as `atCaller`, for async functions. Capturing the caller takes 1 to 2 µs. */
export async function promiseAtCaller<Value>(
  entry: Entry,
  work: () => Promise<Value>,
  call = entry.name,
): Promise<Value> {
  const caller = {}
  Error.captureStackTrace?.(caller, entry)
  try {
    return await work()
  } catch (error) {
    throw calledBy(caller, entry, error, call)
  }
}

/**
 * Wraps methods of a class in `atCaller`, or in `promiseAtCaller` if they are async.
 *
 * @param names Public methods that are not called while a request is handled.
 * @param path Returns the part of the call before the method, such as `journal.`. Default: none.
 */
export function methodsAtCaller<Instance extends object>(
  { prototype }: { prototype: Instance },
  names: ReadonlyArray<keyof Instance & string>,
  path: (instance: Instance) => string = () => '',
): void {
  for (const name of names) {
    const method = prototype[name] as Entry
    const run = method.constructor.name === 'AsyncFunction' ? promiseAtCaller : atCaller
    const value: Entry = function (this: Instance, ...args) {
      return run(value, () => Reflect.apply(method, this, args), `${path(this)}${name}()`)
    }
    Reflect.set(prototype, name, value)
  }
}

/** @param caller Has the caller's stack, if it was captured. */
function calledBy(caller: { stack?: string }, entry: Entry, error: unknown, call: string): unknown {
  if (!(error instanceof Error)) return error
  const folder = /[^\s(]*[/\\](gateway-understudy[/\\]dist|src(?=[/\\]lib[/\\]at-caller))[/\\]/.exec(
    new Error().stack ?? '',
  )?.[0]
  const isNode = (frame: string) => /\bnode:/.test(frame)
  const isInside = (frame: string) => isNode(frame) || (folder !== undefined && frame.includes(folder))
  const framesOf = ({ stack = '' }) => stack.split('\n').filter((line) => /^ +at /.test(line))
  const thrower = framesOf(error).find((frame) => !isNode(frame))
  if (thrower !== undefined && !isInside(thrower)) return error
  if (!caller.stack) Error.captureStackTrace?.(caller, entry)
  const frames = framesOf(caller)
  // If one public function calls another, only the outer one is named.
  if (isInside(frames.find((frame) => !isNode(frame)) ?? '')) return error
  nameCall(error, call)
  const start = frames.findIndex((frame) => !isInside(frame))
  if (start >= 0) error.stack = [`${error.name}: ${error.message}`, ...frames.slice(start)].join('\n')
  return error
}

function nameCall(error: Error, call: string): void {
  const { message } = error
  const name = call.replace('()', '')
  if (message.startsWith(name) && /^[(:]|^ (takes|expects) /.test(message.slice(name.length))) return
  messages.set(error, message)
  error.message = `${call}${message.startsWith('expects ') ? '' : ':'} ${message}`
}
