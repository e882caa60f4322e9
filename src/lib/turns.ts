/**
 * Work that shares something and may not run at once: one after another, in the order in which it came.
 */
const turns = new WeakMap<object, Promise<void>>()

/** Waits until all who came before have left what is shared. The function that it gives leaves it. */
export async function takeTurn(shared: object): Promise<() => void> {
  const before = turns.get(shared)
  const { promise, resolve } = Promise.withResolvers<void>()
  turns.set(shared, promise)
  await before
  return resolve
}
