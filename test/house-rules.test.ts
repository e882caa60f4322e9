/**
 * Rules of the house that no linter knows.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { layers } from './layers.ts'

const root = new URL('..', import.meta.url).pathname
const sources = globSync('src/**/*.ts', { cwd: root }).map((file) => ({
  file,
  text: readFileSync(root + file, 'utf8'),
}))

/** Files, but for one, in which something stands that may stand only there. */
function offenders(expression: RegExp, ...allowed: string[]): string[] {
  return sources
    .filter(({ file, text }) => expression.test(text) && !allowed.includes(file))
    .map(({ file }) => file)
}

/** Packages that only some files may import. */
const knownOnlyBy: Record<string, RegExp> = {
  msw: /^src\/(delivery\/(load-msw|intercept-handlers)|msw)\.ts$/,
  vitest: /^src\/vitest\.ts$/,
  '@playwright/test': /^src\/playwright\.ts$/,
  '@msw/data': /^src\/database\//,
  preact: /^src\/extras\/console\/page\//,
}

/** Every import of the sources: its file, and the file or package that it names. */
const imports = sources
  .flatMap(({ file, text }) =>
    [...text.matchAll(/(?:from |import\(|import )'([^']+)'/g)].map(([, name = '']) => ({
      file,
      target: name.startsWith('.') ? join(dirname(file), name) : name,
    })),
  )
  .filter(({ target }) => !/^(fixtures|scenarios)\/|\.json$/.test(target))

/** `http`, `extras/openapi`, `extras` for its own files, or the name of a file at the top of `src`. */
function folderOf(file: string): string {
  const [first = file, second = ''] = file.replace(/^src\//, '').split('/')
  return first === 'extras' && !second.endsWith('.ts') ? `extras/${second}` : first.replace(/\.ts$/, '')
}

/** -1 for a package: packages are below everything. */
function layerOf(folder: string): number {
  return layers.findIndex((folders) => folder in folders)
}

describe('The sources', () => {
  it('take everything random from the seed', () => {
    // The ids of a node's sandboxes are the exception: a node that is started again must not repeat them.
    const only = 'src/sandbox/sandbox-id.ts'
    expect(offenders(/Math\.random|randomUUID\(|getRandomValues/, only)).toEqual([])
  })

  it('read the time in the clock alone', () => {
    expect(offenders(/Date\.now\(|performance\.now\(|new Date\(\)/, 'src/lib/clock.ts')).toEqual([])
  })

  it('print through the function that escapes control characters', () => {
    // deploy prints a template, with names that the user gave.
    const only = ['src/lib/print.ts', 'src/bin.ts', 'src/extras/cluster/deploy-command.ts']
    expect(offenders(/\bconsole\.\w+\(|std(?:out|err)\.write/, ...only)).toEqual([])
  })

  it('let a call record alone change itself', () => {
    expect(offenders(/\brecord\.\w+ (?:\?\?|\|\||[-+])?= /, 'src/journal/call-record.ts')).toEqual([])
  })
})

describe('Imports', () => {
  it('come only from lower layers', () => {
    const wrong = imports.flatMap(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)]
      if (!target.startsWith('src/') || from === to || layerOf(to) < layerOf(from)) return []
      return [`${from} imports ${to}`]
    })
    expect([...new Set(wrong)].sort()).toEqual([])
  })

  it('of packages stand where the package belongs', () => {
    const wrong = imports.flatMap(({ file, target }) =>
      Object.entries(knownOnlyBy)
        .filter(([name, where]) => (target === name || target.startsWith(`${name}/`)) && !where.test(file))
        .map(([name]) => `${file} imports ${target}: ${name} belongs to ${knownOnlyBy[name]}`),
    )
    expect(wrong).toEqual([])
  })

  it('of Node modules are in delivery and above, so that a browser can load the rest', () => {
    const browser = layerOf('delivery')
    const wrong = imports
      .filter(({ target }) => target.startsWith('node:'))
      .filter(({ file }) => layerOf(folderOf(file)) < browser || file === 'src/index.ts')
    expect(wrong).toEqual([])
  })
})

describe('Starting the server', () => {
  it('loads no MSW, faker or YAML parser, even to answer', async () => {
    const program = `
      import { registerHooks } from 'node:module'
      const packages = new Set()
      registerHooks({
        resolve(specifier, context, next) {
          const resolved = next(specifier, context)
          const found = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(resolved.url)
          if (found) packages.add(found[1])
          return resolved
        },
      })
      const { startServer } = await import('${root}src/serve.ts')
      const server = await startServer()
      const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
      await fetch(server.baseUrl + '/providers', { headers })
      const body = '{"model":"aurora/dawn-2","input":"Hello","stream":true}'
      await (await fetch(server.baseUrl + '/responses', { method: 'POST', headers, body })).text()
      await server.close()
      console.log(JSON.stringify([...packages]))
    `
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    const loaded: string[] = JSON.parse(stdout)
    expect(loaded).toContain('zod')
    for (const name of ['msw', '@faker-js/faker', 'js-yaml', 'commander']) {
      expect(loaded).not.toContain(name)
    }
  })
})
