/** Checks project rules that no linter checks. */
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

/** Returns the files that match the expression, except the allowed ones. */
function offenders(expression: RegExp, ...allowed: string[]): string[] {
  return sources
    .filter(({ file, text }) => expression.test(text) && !allowed.includes(file))
    .map(({ file }) => file)
}

/** Packages that only some files may import. */
const knownOnlyBy: Record<string, RegExp> = {
  msw: /^src\/msw\.ts$/,
  vitest: /^src\/(vitest|verdicts)\.ts$/,
  '@playwright/test': /^src\/(playwright|verdicts)\.ts$/,
  '@msw/data': /^src\/database\//,
  preact: /^src\/extras\/console\/page\//,
}

/** Imports in the sources, except of JSON files: the importing file, and the imported file or package. */
const imports = sources
  .flatMap(({ file, text }) =>
    [...text.matchAll(/(?:from |import\(|import )'([^']+)'/g)].map(([, name = '']) => ({
      file,
      target: name.startsWith('.') ? join(dirname(file), name) : name,
    })),
  )
  .filter(({ target }) => !/^(fixtures|scenarios)\/|\.json$/.test(target))

/**
 * Returns a folder such as `http` or `extras/openapi`, `extras` for files directly in it, or the name of a file at
 * the top of `src`.
 */
function folderOf(file: string): string {
  const [first = file, second = ''] = file.replace(/^src\//, '').split('/')
  return first === 'extras' && !second.endsWith('.ts') ? `extras/${second}` : first.replace(/\.ts$/, '')
}

/** Returns -1 for a package, which is below every layer. */
function layerOf(folder: string): number {
  return layers.findIndex((folders) => folder in folders)
}

describe('source files', () => {
  it('derive every random value from the seed', () => {
    expect(offenders(/Math\.random|randomUUID\(|getRandomValues/)).toEqual([])
  })

  it('read the time only through the clock', () => {
    expect(offenders(/Date\.now\(|performance\.now\(|new Date\(\)/, 'src/lib/clock.ts')).toEqual([])
  })

  it('print only through the function that escapes control characters', () => {
    // `bin.ts` imports nothing statically.
    const only = ['src/lib/print.ts', 'src/bin.ts']
    expect(offenders(/\bconsole\.\w+\(|std(?:out|err)\.write/, ...only)).toEqual([])
  })

  it('change call records only in call-record.ts', () => {
    expect(offenders(/\brecord\.\w+ (?:\?\?|\|\||[-+])?= /, 'src/journal/call-record.ts')).toEqual([])
  })
})

describe('imports', () => {
  it('come only from lower layers', () => {
    const wrong = imports.flatMap(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(target)]
      if (!target.startsWith('src/') || from === to || layerOf(to) < layerOf(from)) return []
      return [`${from} imports ${to}`]
    })
    expect([...new Set(wrong)].sort()).toEqual([])
  })

  it('name a package only in files that may use it', () => {
    const wrong = imports.flatMap(({ file, target }) =>
      Object.entries(knownOnlyBy)
        .filter(([name, where]) => (target === name || target.startsWith(`${name}/`)) && !where.test(file))
        .map(([name]) => `${file} imports ${target}: ${name} belongs to ${knownOnlyBy[name]}`),
    )
    expect(wrong).toEqual([])
  })

  it('name Node modules only in delivery and above, so that browsers can load the lower layers', () => {
    const browser = layerOf('delivery')
    const wrong = imports
      .filter(({ target }) => target.startsWith('node:'))
      .filter(({ file }) => layerOf(folderOf(file)) < browser || file === 'src/index.ts')
    expect(wrong).toEqual([])
  })
})

describe('starting the server', () => {
  it('does not load MSW, faker, a YAML parser or commander, even when replying', async () => {
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
    for (const name of ['msw', '@faker-js/faker', 'yaml', 'commander']) {
      expect(loaded).not.toContain(name)
    }
  })
})

describe('English', () => {
  /** Words that a technical term or a named subject should replace. */
  const stopList =
    /\b(is told|nobody|whoever|somebody|so many|so often|as ever|in the place of|goes on|a person|not any more|in force|beside)\b/i

  const comment = /^\s*(?:\/\*\*|\*|\/\/)/
  const texts = globSync(['src/**/*.{ts,tsx}', 'test/**/*.ts', '**/*.md', 'llms.txt'], {
    cwd: root,
    exclude: ['**/node_modules', 'dist', '**/__prompts__'],
  }).map((file) => ({ file, lines: readFileSync(root + file, 'utf8').split('\n') }))

  it('uses standard technical terms in comments, messages and documents', () => {
    // Sample rows contain prose with its own style.
    const samples = ['src/resources/preset.ts', 'src/resources/workspace.ts']
    const isText = (file: string, line: string) =>
      comment.test(line) || !(file.startsWith('test/') && file.endsWith('.ts'))
    const wrong = texts
      .filter(({ file }) => !samples.includes(file))
      .flatMap(({ file, lines }) =>
        lines.flatMap((line, index) =>
          stopList.test(line) && isText(file, line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
        ),
      )
    expect(wrong).toEqual([])
  })

  it('starts doc comments with a verb or a noun phrase', () => {
    const wrong = texts.flatMap(({ file, lines }) =>
      lines.flatMap((line, index) => {
        const start = /^\s*\/\*\*$/.test(line) ? lines[index + 1] : line
        return /^\s*\/?\*\*? (?:What|How|Whether|Whoever|Of|Is)\b/.test(start ?? '') &&
          /^\s*\/\*\*/.test(line)
          ? [`${file}:${index + 1}: ${start?.trim()}`]
          : []
      }),
    )
    expect(wrong).toEqual([])
  })
})
