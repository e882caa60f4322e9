/** Serialises work on shared objects. Each object's promise resolves when its last queued work has finished. */
const turns = new WeakMap<object, Promise<void>>()

/**
 * Waits until all earlier callers have released the object. Resolves with a function that releases it.
 */
export async function takeTurn(shared: object): Promise<() => void> {
  const before = turns.get(shared)
  const { promise, resolve } = Promise.withResolvers<void>()
  turns.set(shared, promise)
  await before
  return resolve
}
