/** Tests what happens if output cannot be written. */
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { surviveOutputErrors } from '../../src/lib/print.ts'

describe('surviveOutputErrors', () => {
  const streams = [process.stdout, process.stderr]
  let codeBefore: typeof process.exitCode
  beforeEach(() => {
    codeBefore = process.exitCode
    process.exitCode = undefined
    const listeners = streams.map((stream) => stream.listeners('error'))
    surviveOutputErrors()
    onTestFinished(() => {
      for (const [place, stream] of streams.entries())
        for (const listener of stream.listeners('error'))
          if (!listeners[place]?.includes(listener)) stream.off('error', listener as () => void)
    })
  })
  afterEach(() => {
    process.exitCode = codeBefore
  })

  it('ignores a closed pipe', () => {
    for (const stream of streams) stream.emit('error', Object.assign(new Error(), { code: 'EPIPE' }))
    expect(process.exitCode).toBeUndefined()
  })

  it.each([0, 1])('sets exit code 1 for any other error of stream %i', (place) => {
    streams[place]?.emit('error', Object.assign(new Error(), { code: 'ENOSPC' }))
    expect(process.exitCode).toBe(1)
  })
})
