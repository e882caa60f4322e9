/**
 * Memory of the server as a program of its own. Under load V8 takes a hundred megabytes for new objects, as if they
 * were to live, and lets old ones gather up to four times what is in use. Those of a double die young: a few megabytes
 * are as quick.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Bytes that the space for new objects may grow to. */
const enough = 8 * 1000 * 1000

/** Real milliseconds between two looks at it, until it has grown. */
const lookMs = 100

/** Keeps the heap near what is in use. */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=60')
  const look = () => {
    const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (!space || space.space_size < enough) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }
  const timer = setInterval(look, lookMs).unref()
  look()
}
