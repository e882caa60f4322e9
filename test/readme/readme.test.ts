import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withParts } from './sections.ts'

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')

describe('README.md', () => {
  it('is fresh: its tables and examples are those of the code (else: npm run generate)', () => {
    expect(readme).toBe(withParts(readme))
  })

  it('shows every example that is tested', () => {
    const files = readdirSync(new URL('examples', import.meta.url))
    expect(files.filter((file) => !readme.includes(`generated: example/${file} `))).toEqual([])
  })

  it('names only npm scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? '')
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})
