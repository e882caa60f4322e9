/** Hides unhandled rejections from the process's listeners. */
type Take = (reason: unknown) => boolean

const takers = new Set<Take>()
let others: NodeJS.UnhandledRejectionListener[] = []

/** @param take Returns true for a rejection that the process's listeners must not see. */
export function watchRejections(take: Take): () => void {
  const { process } = globalThis
  if (typeof process?.listeners !== 'function') return () => {}
  if (takers.size === 0) {
    others = process.listeners('unhandledRejection')
    process.removeAllListeners('unhandledRejection')
    process.on('unhandledRejection', onRejection)
  }
  takers.add(take)
  return () => {
    takers.delete(take)
    if (takers.size > 0) return
    process.off('unhandledRejection', onRejection)
    for (const each of others) process.on('unhandledRejection', each)
  }
}

function onRejection(reason: unknown, promise: Promise<unknown>): void {
  if ([...takers].some((take) => take(reason))) return
  // As without listeners, the process ends.
  if (others.length === 0) throw reason
  for (const each of others) each(reason, promise)
}
