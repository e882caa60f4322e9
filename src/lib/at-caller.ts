/**
 * Makes the stacks of errors from public functions start at the caller. Errors thrown by callbacks of the caller keep
 * their stacks.
 */

type Entry = (...args: never[]) => unknown

/** Runs the work of a public function. */
export function atCaller<Result>(entry: Entry, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw calledBy({}, entry, error)
  }
}

/** Runs the work of an async public function. Capturing the caller takes one or two microseconds. */
export async function promiseAtCaller<Value>(entry: Entry, work: () => Promise<Value>): Promise<Value> {
  const caller = {}
  Error.captureStackTrace?.(caller, entry)
  try {
    return await work()
  } catch (error) {
    throw calledBy(caller, entry, error)
  }
}

/**
 * Wraps methods of a class in `atCaller` or `promiseAtCaller`.
 *
 * @param names Methods to wrap. Default: all.
 */
export function methodsAtCaller({ prototype }: { prototype: object }, names?: readonly string[]): void {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    const method: unknown = descriptor.value
    if (typeof method !== 'function' || name === 'constructor' || names?.includes(name) === false) continue
    const run = method.constructor.name === 'AsyncFunction' ? promiseAtCaller : atCaller
    const value: Entry = function (this: unknown, ...args) {
      return run(value, () => Reflect.apply(method, this, args))
    }
    Object.defineProperty(prototype, name, { ...descriptor, value })
  }
}

/** @param caller Holds the stack of the caller, if it was captured. */
function calledBy(caller: { stack?: string }, entry: Entry, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const folder = /[^\s(]*[/\\](gateway-understudy[/\\]dist|src(?=[/\\]lib[/\\]at-caller))[/\\]/.exec(
    new Error().stack ?? '',
  )?.[0]
  const isInside = (frame: string) =>
    /\bnode:/.test(frame) || (folder !== undefined && frame.includes(folder))
  const framesOf = ({ stack = '' }) => stack.split('\n').filter((line) => /^ +at /.test(line))
  const [first = ''] = framesOf(error)
  if (!isInside(first)) return error
  if (!caller.stack) Error.captureStackTrace?.(caller, entry)
  const frames = framesOf(caller)
  const start = frames.findIndex((frame) => !isInside(frame))
  if (start >= 0) error.stack = [`${error.name}: ${error.message}`, ...frames.slice(start)].join('\n')
  return error
}
