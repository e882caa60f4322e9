import { describe, expect, it } from 'vitest'
import { PromptCache, StoredResponses } from '../../src/sandbox/memory.ts'

const piece = (...tokens: string[]) => ({ role: 'user', tokens })
const words = (count: number) => Array.from({ length: count }, (_, index) => `word ${index}`)

describe('PromptCache', () => {
  it.each([
    [63, 0],
    [64, 64],
    [65, 64],
    [127, 64],
    [128, 128],
  ])('caches whole blocks of 64 tokens: of %i shared tokens, %i', (shared, cached) => {
    const cache = new PromptCache()
    expect(cache.read('a/b', [piece(...words(shared), 'one')])).toBe(0)
    expect(cache.read('a/b', [piece(...words(shared), 'other')])).toBe(cached)
    expect(cache.read('a/c', [piece(...words(shared), 'other')])).toBe(0)
  })

  it('remembers 100,000 prefixes, and then evicts the oldest', () => {
    const cache = new PromptCache()
    cache.read('a/b', [piece('first')])
    cache.read('a/b', [piece('second')])
    cache.read(
      'a/b',
      words(99_998).map((word) => piece(word)),
    )
    const countOf = (text: string) => cache.read('a/b', [piece(text)])
    expect([countOf('first'), countOf('last'), countOf('second'), countOf('last')]).toEqual([1, 0, 1, 1])
    expect([countOf('first'), countOf('second')]).toEqual([0, 0])
  })
})

describe('StoredResponses', () => {
  /** Returns items whose JSON has this size. */
  const sized = (size: number, id = 'item') => [
    { id, text: 'x'.repeat(size - JSON.stringify([{ id, text: '' }]).length) },
  ]
  const mib = 1024 * 1024

  it('remembers 16 MiB of conversations, and then evicts the oldest', () => {
    const responses = new StoredResponses()
    responses.keep('a', sized(8 * mib))
    responses.keep('b', sized(8 * mib))
    const copy = responses.copy()
    expect(responses.find('a')).toHaveLength(1)
    for (const each of [responses, copy]) {
      each.keep('c', [])
      expect([each.find('a'), each.find('b')?.length, each.find('c')]).toEqual([undefined, 1, []])
    }
  })

  it('counts a response that is stored again only once', () => {
    const responses = new StoredResponses()
    responses.keep('a', sized(9 * mib, 'old'))
    responses.keep('a', sized(9 * mib, 'new'))
    expect(responses.find('a')).toHaveLength(1)
    expect([...responses.items(['old', 'new']).keys()]).toEqual(['new'])
  })
})
