import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { parseSync } from 'vite'
import { describe, expect, inject, it } from 'vitest'
import { withLicences } from './licences.ts'

const { tarball, folder, size, files } = inject('packed')
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

describe('The tarball', () => {
  it('is smaller than 500 KB', () => {
    expect(size).toBeLessThan(500_000)
  })

  it('has JavaScript, declarations, source maps, scenarios and fixtures, and nothing else', () => {
    const expected =
      /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/[\w-]+(\.d\.ts|\.js|\.js\.map)|(scenarios|fixtures)\/[\w-]+(\.schema)?\.json)$/
    expect(files.filter((file) => !expected.test(file))).toEqual([])
    for (const file of ['dist/index.js', 'dist/index.d.ts', 'dist/vitest.js.map', 'dist/bin.js']) {
      expect(files).toContain(file)
    }
  })

  it('satisfies publint, suggestions included', async () => {
    const { buffer } = await readFile(tarball)
    const { messages } = await publint({ pack: { tarball: buffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  it('asks for MSW, and for the test runners only where they are used', () => {
    expect(manifest.peerDependencies).toMatchObject({ msw: '^2.12.0 || ^3.0.0' })
    expect(manifest.peerDependenciesMeta).toEqual({
      '@playwright/test': { optional: true },
      vitest: { optional: true },
    })
    expect(manifest.sideEffects).toBe(false)
  })

  it('brings the licences of the packages inside (else: npm run generate)', () => {
    const licence = readFileSync(join(folder, 'LICENSE'), 'utf8')
    expect(licence).toBe(withLicences(licence))
  })
})

describe('The entries', () => {
  const generators = ['@faker-js/faker/locale/en', 're2js']

  it.each([
    { entry: 'index', needs: ['msw', ...generators] },
    { entry: 'remote', needs: [] },
  ])('$entry imports nothing of Node, and $needs', ({ entry, needs }) => {
    expect(importsOf(`dist/${entry}.js`)).toEqual(new Set(needs))
  })

  it.each(['serve', 'bin'])('%s imports no peer, and only what is installed beside it', (entry) => {
    const imports = [...importsOf(`dist/${entry}.js`)]
    expect(imports.filter((name) => !name.startsWith('node:')).sort()).toEqual([...generators, 'yaml'])
  })

  it('have declarations that name no package but peers, faker and Node', () => {
    const named = new Set<string>()
    for (const file of files.filter((path) => path.endsWith('.d.ts'))) {
      const text = readFileSync(join(folder, file), 'utf8')
      for (const [, name] of text.matchAll(/(?:from|import\()\s*["']([^."'][^"']*)["']/g))
        named.add(String(name))
    }
    const known = ['@playwright/test', 'msw', 'msw/node', 'vitest']
    expect([...named].filter((name) => !name.startsWith('node:') && !known.includes(name))).toEqual([])
  })

  it('can be required, where nothing but Node is needed', () => {
    const required = createRequire(import.meta.url)
    expect(required(join(folder, 'dist/serve.js')).startServer).toBeTypeOf('function')
    expect(required(join(folder, 'dist/remote.js')).connectGateway).toBeTypeOf('function')
  })

  it('have a command line that says which version it is', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'dist/bin.js'), '--version'])
    expect(stdout.trim()).toBe(manifest.version)
  })
})

/** What a file imports from outside the package, at once or later, itself or through other files. */
function importsOf(entry: string): Set<string> {
  const outside = new Set<string>()
  const seen = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    const code = readFileSync(join(folder, file), 'utf8')
    const { staticImports, staticExports, dynamicImports } = parseSync(file, code).module
    const named = [
      ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value)),
      ...dynamicImports.map(({ moduleRequest: { start, end } }) => code.slice(start + 1, end - 1)),
    ]
    for (const name of named) {
      if (name === undefined || name === null) continue
      if (name.startsWith('.')) visit(join(dirname(file), name))
      else outside.add(name)
    }
  }
  visit(entry)
  return outside
}
