/**
 * Memory of the server as a program of its own. Under load V8 takes a hundred megabytes for new objects, as if they
 * were to live, and lets old ones gather up to four times what is in use. Those of a double die young: a few megabytes
 * are as quick. Where much is in use, thousands of open streams for example, V8 knows best.
 */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'

/** Bytes in use up to which the heap is kept small. */
const much = 64 * 1000 * 1000

/** Bytes that the space for new objects may then grow to. */
const enough = 8 * 1000 * 1000

/** Real milliseconds between two looks. */
const lookMs = 100

/** Keeps the heap near what is in use, for as long as that is little. */
export function keepHeapSmall(): void {
  const growth = setting('--semi-space-growth-factor', 2)
  const slack = setting('--heap-growing-percent', 0)
  const look = () => {
    const isSmall = getHeapStatistics().used_heap_size < much
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    slack(isSmall ? 80 : 0)
    growth(isSmall && young && young.space_size >= enough ? 1 : 2)
  }
  setInterval(look, lookMs).unref()
  look()
}

/** A flag of V8's that is set only when it changes. */
function setting(flag: string, initial: number): (value: number) => void {
  let present = initial
  return (value) => {
    if (value !== present) setFlagsFromString(`${flag}=${value}`)
    present = value
  }
}
