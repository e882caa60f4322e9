/**
 * Does something with a value: at once where it is there, so that nobody waits for a promise that has nothing to wait
 * for.
 */
export function whenThere<Value, Result>(
  value: Value | Promise<Value>,
  act: (value: Value) => Result,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(act) : act(value)
}
