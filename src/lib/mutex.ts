/** Serialises work on shared objects. Each object's promise resolves when its last queued work has finished. */
const released = new WeakMap<object, Promise<void>>()

/**
 * Waits until all earlier callers have released the object. Resolves with a function that releases it.
 */
export async function acquire(shared: object): Promise<() => void> {
  const before = released.get(shared)
  const { promise, resolve } = Promise.withResolvers<void>()
  released.set(shared, promise)
  await before
  return resolve
}
