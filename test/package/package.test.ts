import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { rolldown } from 'rolldown'
import { parseSync } from 'vite'
import { describe, expect, inject, it } from 'vitest'

const execute = promisify(execFile)
const { tarball, folder, size, files } = inject('packed')
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

describe('the tarball', () => {
  it("is smaller than 1.7 MB, including the console and the documents' images", () => {
    expect(size).toBeLessThan(1_700_000)
  })

  it('contains JavaScript, declarations, the console, scenarios, fixtures and documents, and nothing else', () => {
    expect(contentProblems()).toEqual([])
  })

  it('contains every file that its documents link to', () => {
    expect(linkProblems()).toEqual([])
  })

  it('has an index entry whose uncaught errors print completely through a pipe, in less than 2 KB', async () => {
    const entry = pathToFileURL(join(folder, 'dist/index.js')).href
    const mistake = `import { createGateway } from '${entry}'
      createGateway().use({ on: 'createRespons', fault: 'timeout' })`
    const run = () =>
      execute(process.execPath, ['--input-type=module', '--eval', mistake]).catch((error) => error)
    for (let round = 0; round < 25; round++) {
      for (const { stderr } of await Promise.all([run(), run()])) {
        expect(stderr).toContain("did you mean 'createResponse'?")
        expect(stderr.length).toBeLessThan(2048)
      }
    }
  })

  it('satisfies publint, including its suggestions', async () => {
    const { buffer } = await readFile(tarball)
    const { messages } = await publint({ pack: { tarball: buffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([])
  })

  it("has types that match each entry's resolution, for import and require", async () => {
    const tarballData = createPackageFromTarballData(await readFile(tarball))
    const analysis = await checkPackage(tarballData)
    const problems = analysis.types ? analysis.problems : []
    expect(analysis.types).not.toBe(false)
    // Node 10 resolution does not support exports, and entries for test runners are ES modules only.
    const unexpected = problems.filter(
      (problem) =>
        !('resolutionKind' in problem && problem.resolutionKind === 'node10') &&
        !(problem.kind === 'CJSResolvesToESM' && ['./vitest', './playwright'].includes(problem.entrypoint)),
    )
    expect(unexpected).toEqual([])
  })

  it('declares MSW and the test runners as optional peer dependencies', () => {
    expect(manifest.peerDependencies).toMatchObject({ msw: '^2.12.0 || ^3.0.0' })
    expect(manifest.peerDependenciesMeta).toEqual({
      '@playwright/test': { optional: true },
      msw: { optional: true },
      vitest: { optional: true },
    })
    expect(manifest.sideEffects).toEqual(['./dist/bin.js', './dist/verdicts.*', './dist/vitest.js'])
  })
})

describe('the entries', () => {
  const generators = ['@faker-js/faker/locale/en']

  it.each([
    { entry: 'index', needs: generators },
    { entry: 'remote', needs: [] },
  ])('$entry imports no Node built-ins, and no packages except $needs', ({ entry, needs }) => {
    expect(importsOf(`dist/${entry}.js`)).toEqual(new Set(needs))
  })

  it.each(['serve', 'bin'])('%s imports no peer dependencies, and only installed packages', (entry) => {
    const imports = [...importsOf(`dist/${entry}.js`)]
    expect(imports.filter((name) => !name.startsWith('node:')).sort()).toEqual(generators)
    // yaml is loaded only to read or write YAML.
    expect(Object.keys(manifest.dependencies)).toEqual(['@faker-js/faker', 'yaml'])
  })

  it('have declarations that import only peer dependencies, faker and Node', () => {
    const named = new Set<string>()
    for (const file of files.filter((path) => /\.d\.c?ts$/.test(path))) {
      const text = readFileSync(join(folder, file), 'utf8')
      for (const [, name] of text.matchAll(/(?:from|import\()\s*["']([^."'][^"']*)["']/g))
        named.add(String(name))
    }
    const known = ['@faker-js/faker', '@playwright/test', 'msw', 'msw/node', 'vitest']
    expect([...named].filter((name) => !name.startsWith('node:') && !known.includes(name))).toEqual([])
  })

  it.each([
    ['index', 'createGateway'],
    ['node', 'intercept'],
    ['serve', 'startServer'],
    ['remote', 'connectGateway'],
    ['verdicts', 'findings'],
  ])('%s can be required and exports %s', (entry, name) => {
    const required = createRequire(import.meta.url)
    expect(required(join(folder, `dist/${entry}.cjs`))[name]).toBeTypeOf('function')
  })

  it('re-export their CommonJS type declarations instead of duplicating them', () => {
    for (const entry of ['index', 'msw', 'node', 'remote', 'serve', 'verdicts']) {
      const text = readFileSync(join(folder, `dist/${entry}.d.ts`), 'utf8')
      // Only an ES module can extend Vitest's types.
      const own = text.replace(/^import type .*\n|^declare module 'vitest' [\s\S]*/gm, '')
      expect(own).toBe(`export * from "./${entry}.cjs";\n`)
    }
  })

  it.each(['index', 'node', 'vitest'])(
    '%s does not import MSW, which bundlers would try to resolve',
    (entry) => {
      expect(importsOf(`dist/${entry}.js`)).not.toContain('msw')
    },
  )

  it('do not name files by URL, because bundlers would look for them', () => {
    const named = files
      .filter((file) => /^dist\/[\w-]+\.js$/.test(file))
      .flatMap(
        (file) =>
          readFileSync(join(folder, file), 'utf8').match(/new URL\("[^"]*", import\.meta\.url\)/g) ?? [],
      )
    expect(named).toEqual([])
  })

  it('include a Vitest entry that registers its hooks and matchers even in a bundle that uses no exports', async () => {
    const input = 'virtual:entry'
    const bundle = await rolldown({
      input,
      external: /^(?!virtual:|[./])/,
      plugins: [
        {
          name: 'entry',
          resolveId: (id) => (id === input ? id : undefined),
          load: (id) => (id === input ? `import '${folder}/dist/vitest.js'` : undefined),
        },
      ],
    })
    const [{ code }] = (await bundle.generate()).output
    expect(code).toMatch(/\.aroundEach\([\s\S]*\.extend\(/)
    await bundle.close()
  })

  it.each(['node', 'serve', 'vitest', 'command-line'])('%s statically imports no Node built-ins', (entry) => {
    const imports = [...staticImportsOf(`dist/${entry}.js`)]
    expect(imports.filter((name) => name.startsWith('node:'))).toEqual([])
  })

  it('contain only ASCII', () => {
    const code = files.filter((file) => /^dist\/[\w-]+\.c?js$/.test(file))
    expect(code.length).toBeGreaterThan(20)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes them.
    const other = code.filter((file) => /[^\x00-\x7f]/.test(readFileSync(join(folder, file), 'utf8')))
    expect(other).toEqual([])
  })

  it('include a command line that prints its version', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'dist/bin.js'), '--version'])
    expect(stdout.trim()).toBe(manifest.version)
  })
})

function staticImportsOf(entry: string): Set<string> {
  return importsOf(entry, false)
}

/**
 * Returns a file's external imports, directly or through other files, optionally including dynamic imports.
 */
function importsOf(entry: string, later = true): Set<string> {
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
      ...(later ? dynamicImports : []).flatMap(({ moduleRequest: { start, end } }) => {
        const [, name] = /^["'`](.+)["'`]$/.exec(code.slice(start, end)) ?? []
        return name ?? []
      }),
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

const expected =
  /^(package\.json|llms\.txt|[A-Z_]+\.md|LICENSE|docs\/[\w-]+\.(md|png)|dist\/[\w-]+(\.d\.c?ts|\.c?js)|dist\/sbom\.cdx\.json|dist\/THIRD_PARTY_LICENSES|dist\/console\/(index\.html|console-[\w-]+\.(js|css))|(scenarios|fixtures)\/[\w-]+(\.schema)?\.json)$/

const required = [
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs/setup.md',
  'dist/THIRD_PARTY_LICENSES',
  'dist/sbom.cdx.json',
  'dist/console/index.html',
  'dist/bin.js',
  'scenarios/flaky.json',
  'fixtures/workspaces.json',
]

/** Finds unexpected files, and missing ones, including targets of `exports` and `bin`. */
function contentProblems(): string[] {
  const { exports, bin } = manifest
  const targets = [...JSON.stringify([exports, bin]).matchAll(/"(?:\.\/)?(dist\/[^"]+)"/g)].map(
    ([, file = '']) => file,
  )
  return [
    ...files.filter((file) => !expected.test(file)).map((file) => `contents: ${file} is unexpected`),
    ...[...new Set([...required, ...targets])]
      .filter((file) => !files.includes(file))
      .map((file) => `contents: ${file} is missing`),
  ]
}

/** Finds links in documents to files that are missing from the tarball. */
function linkProblems(): string[] {
  return files
    .filter((file) => /\.md$|^llms\.txt$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
        .map(([, link = '']) => join(dirname(file), link))
        .filter((link) => !files.includes(link))
        .map((link) => `links: ${file} links to ${link}, which is not in the package`),
    )
}
