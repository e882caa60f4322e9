/** A value, or a promise of it only where there is something to wait for. */
export type Soon<Value> = Value | Promise<Value>

/**
 * Does something with a value: at once where it is there, so that nobody waits for a promise that has nothing to wait
 * for.
 */
export function whenThere<Value, Result>(
  value: Soon<Value>,
  act: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(act) : act(value)
}
