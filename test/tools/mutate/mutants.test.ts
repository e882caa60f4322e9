import { describe, expect, it } from 'vitest'
import { type Mutant, mutantsOf, withMutants } from './mutants.ts'

const changes = (source: string) => mutantsOf('a.ts', source).map(({ before, after }) => [before, after])

describe('mutantsOf()', () => {
  it('changes operators, conditions, numbers, booleans and fallbacks, and removes calls', () => {
    expect(changes('const a = b < 3')).toEqual([
      ['b < 3', 'b <= 3'],
      ['3', '3 + 1'],
    ])
    expect(changes('const a = !b ? true : c')).toEqual([
      ['!b ? true : c', '!b ? c : true'],
      ['!b', '!!b'],
      ['true', 'false'],
    ])
    expect(changes('const a = b ?? c')).toEqual([['b ?? c', 'b']])
    expect(changes('await close(b)')).toEqual([['await close(b)', undefined]])
  })

  it('skips types, imports, keys and loop steps', () => {
    const source = `import b from './3.ts'
      type A = { 3: true } & (typeof c)[0]
      const a = { 3: b as 3 }
      for (let i = b; i; i += 3) d()`
    expect(changes(source)).toEqual([['d()', undefined]])
  })

  it("skips `?? ''` in an argument of test() or exec(), because undefined matches no more than an empty string", () => {
    expect(changes("const a = /b/.test(c ?? '')")).toEqual([])
    expect(changes("const a = /b/.exec(c ?? 'b') ?? []")).toHaveLength(2)
    expect(changes("const a = find(b ?? '')")).toHaveLength(1)
  })

  it('skips the line after a comment that marks a mutant as equivalent', () => {
    const source = '// mutation: equivalent (any similar number will do)\nconst a = 3\nconst b = 4'
    expect(changes(source)).toEqual([['4', '4 + 1']])
  })

  it('returns mutants that are inactive until their id is chosen', () => {
    const source =
      'let calls = 0\nfunction f() { calls = calls + 2 }\nif (true) f()\nelse calls = 9\nreturn calls'
    const mutants: Mutant[] = mutantsOf('a.ts', source.replace('\nreturn calls', ''))
      .filter(({ kind }) => kind === 'operator' || kind === 'call')
      .map((mutant, id) => ({ id, ...mutant }))
    const run = (chosen: number) => {
      Object.assign(globalThis, { __mutant: (id: number) => id === chosen })
      return new Function(withMutants(source, mutants))()
    }
    expect(mutants.map(({ kind }) => kind)).toEqual(['operator', 'call'])
    expect([run(-1), run(0), run(1)]).toEqual([2, -2, 0])
  })
})
