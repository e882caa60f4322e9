import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { faults } from '../../src/faults/index.ts'
import { bundledScenarios } from '../../src/rules/bundled.ts'
import { recording } from './fault-sections.ts'
import { withParts } from './sections.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

describe('README.md', () => {
  it('is fresh: its tables and examples are those of the code (else: npm run generate)', () => {
    expect(readme).toBe(withParts(readme))
  })

  it('shows every example that is tested', () => {
    const files = readdirSync(new URL('examples', import.meta.url)).filter((name) => name.endsWith('.ts'))
    expect(files.filter((file) => !readme.includes(`generated: example/${file} `))).toEqual([])
  })

  it('names only npm scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '')
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('CONTRIBUTING.md', () => {
  const contributing = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8')

  it('is fresh: its floors are those that the tests hold (else: npm run generate)', () => {
    expect(contributing).toBe(withParts(contributing))
  })

  it('names only files, folders and scripts that there are', () => {
    const root = new URL('../../', import.meta.url)
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
    const named = [...contributing.matchAll(/`((?:src|test|fixtures|scenarios)\/[\w./-]*)`/g)]
    const steps = [...contributing.matchAll(/^\| [^|]+ \| `([\w-]+\.ts)` \|/gm)]
    const paths = [...named.map(([, path]) => path), ...steps.map(([, file]) => `src/gateway/${file}`)]
    expect(paths.length).toBeGreaterThan(20)
    expect(paths.filter((path) => !existsSync(new URL(path ?? '', root)))).toEqual([])
    const run = [...contributing.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '')
    expect(run.filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('scenarios/README.md', () => {
  const scenarios = readFileSync(new URL('../../scenarios/README.md', import.meta.url), 'utf8')

  it('is fresh (else: npm run generate)', () => {
    expect(scenarios).toBe(withParts(scenarios))
  })

  it('says of every fault and every bundled scenario what clients make of it (else: npm run generate:clients)', () => {
    expect(Object.keys(recording.faults)).toEqual(faults.map(({ name }) => name))
    const recorded = ['parser-torture', 'chaos', ...Object.keys(recording.scenarios)]
    expect(recorded.sort()).toEqual([...bundledScenarios.keys()].sort())
  })
})

describe('fixtures/README.md', () => {
  it('is fresh: what may be quoted stands in the files (else: npm run generate)', () => {
    const fixtures = readFileSync(new URL('../../fixtures/README.md', import.meta.url), 'utf8')
    expect(fixtures).toBe(withParts(fixtures))
  })
})

describe('test/consumers/README.md', () => {
  it('is fresh: its recipes are the files that the slow tests run (else: npm run generate)', () => {
    const recipes = readFileSync(new URL('../consumers/README.md', import.meta.url), 'utf8')
    expect(recipes).toBe(withParts(recipes))
  })
})
