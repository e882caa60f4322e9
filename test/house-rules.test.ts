/**
 * Rules of the house that no linter knows.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { floors } from './floors.ts'

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

/** Rooms that do not know each other, although one stands above the other. */
const strangers = new Set(['rules database'])

/** Packages that only some files may import. */
const knownOnlyBy: Record<string, RegExp> = {
  msw: /^src\/(adapters\/(msw|intercept[\w-]*)|index)\.ts$/,
  vitest: /^src\/vitest\.ts$/,
  '@playwright/test': /^src\/playwright\.ts$/,
  '@msw/data': /^src\/database\//,
  preact: /^src\/console\//,
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

/** The first folder below `src`, or the name of the file where it lies at the top. */
function roomOf(file: string): string {
  return (
    file
      .replace(/^src\//, '')
      .split('/')[0]
      ?.replace(/\.ts$/, '') ?? file
  )
}

/** -1 for a package: packages stand below everything. */
function floorOf(room: string): number {
  return floors.findIndex((rooms) => room in rooms)
}

describe('The sources', () => {
  it('have no file of more than 300 lines', () => {
    const long = sources.filter(({ text }) => text.trimEnd().split('\n').length > 300)
    expect(long.map(({ file }) => file)).toEqual([])
  })

  it('take everything random from the seed', () => {
    // The ids of a node's sandboxes are the exception: a node that is started again must not repeat them.
    const only = 'src/sandbox/sandbox-id.ts'
    expect(offenders(/Math\.random|randomUUID\(|getRandomValues/, only)).toEqual([])
  })

  it('read the time in the clock alone', () => {
    expect(offenders(/Date\.now\(|performance\.now\(|new Date\(\)/, 'src/lib/clock.ts')).toEqual([])
  })

  it('let a call record alone change itself', () => {
    expect(offenders(/\brecord\.\w+ (?:\?\?|\|\||[-+])?= /, 'src/journal/call-record.ts')).toEqual([])
  })
})

describe('Imports', () => {
  it('point down the floors, never up and never sideways', () => {
    const wrong = imports.flatMap(({ file, target }) => {
      const [from, to] = [roomOf(file), roomOf(target)]
      if (from === to || (floorOf(to) < floorOf(from) && !strangers.has(`${from} ${to}`))) return []
      return [`${file} imports ${target}: ${from} may not know ${to}`]
    })
    expect(wrong).toEqual([])
  })

  it('of packages stand where the package belongs', () => {
    const wrong = imports.flatMap(({ file, target }) =>
      Object.entries(knownOnlyBy)
        .filter(([name, where]) => (target === name || target.startsWith(`${name}/`)) && !where.test(file))
        .map(([name]) => `${file} imports ${target}: ${name} belongs to ${knownOnlyBy[name]}`),
    )
    expect(wrong).toEqual([])
  })

  it('of Node stand where no browser comes: from the Node adapter up', () => {
    const browser = floorOf('adapters')
    const wrong = imports
      .filter(({ target }) => target.startsWith('node:'))
      .filter(({ file }) => floorOf(roomOf(file)) < browser || file === 'src/index.ts')
    expect(wrong).toEqual([])
  })
})

describe('Starting the server', () => {
  it('loads no MSW, faker, YAML parser, or Hono, even to answer', async () => {
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
    for (const name of ['msw', '@faker-js/faker', 'yaml', 'js-yaml', 're2js', 'hono', 'commander']) {
      expect(loaded).not.toContain(name)
    }
  })
})
