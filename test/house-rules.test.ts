/**
 * Rules of the house that no linter knows.
 */
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

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

describe('The sources', () => {
  it('take everything random from the seed', () => {
    expect(offenders(/Math\.random|randomUUID\(|getRandomValues/)).toEqual([])
  })

  it('read the time in the clock alone', () => {
    expect(offenders(/Date\.now\(|performance\.now\(|new Date\(\)/, 'src/sandbox/clock.ts')).toEqual([])
  })

  it('know MSW in its adapters alone', () => {
    const only = ['src/adapters/msw.ts', 'src/adapters/intercept.ts', 'src/index.ts', 'src/vitest.ts']
    expect(offenders(/from 'msw/, ...only)).toEqual([])
  })
})

describe('Starting the server', () => {
  it('loads no MSW, faker, YAML parser, Hono, or JSON Schema generator, even to answer', async () => {
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
    for (const name of ['msw', '@faker-js/faker', 'yaml', 'hono', 'commander', 'json-schema-faker']) {
      expect(loaded).not.toContain(name)
    }
  })
})
