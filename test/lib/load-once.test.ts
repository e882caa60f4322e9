import { describe, expect, it } from 'vitest'
import { loadOnce } from '../../src/lib/load-once.ts'

describe('loadOnce', () => {
  it('loads once, and again only after a failure', async () => {
    let calls = 0
    const load = loadOnce(async () => {
      calls++
      if (calls === 1) throw new Error('no such file')
      return calls
    })
    await expect(load()).rejects.toThrow('no such file')
    expect(await Promise.all([load(), load()])).toEqual([2, 2])
    expect(await load()).toBe(2)
  })
})
