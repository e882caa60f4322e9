/**
 * A queue for work on a shared object that must not run concurrently.
 */
const turns = new WeakMap<object, Promise<void>>()

/** Waits for all earlier callers to release the object; resolves with the function that releases it. */
export async function takeTurn(shared: object): Promise<() => void> {
  const before = turns.get(shared)
  const { promise, resolve } = Promise.withResolvers<void>()
  turns.set(shared, promise)
  await before
  return resolve
}
