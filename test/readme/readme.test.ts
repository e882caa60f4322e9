import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { run } from '../../src/cli/command-line.ts'
import { faults } from '../../src/faults/index.ts'
import { bundledScenarios } from '../../src/scenarios/bundled.ts'
import { routePathsText } from '../remote/route-paths.ts'
import { recording } from './fault-sections.ts'
import { gatewayOptions } from './option-sections.ts'
import { documents, withParts } from './sections.ts'

const root = new URL('../../', import.meta.url)

const modelIds = ['models', 'embeddings-models'].flatMap((name): string[] =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, root), 'utf8')).map(
    ({ id }: { id: string }) => id,
  ),
)

const pages = documents.map((name) => ({
  name,
  text: readFileSync(new URL(name, root), 'utf8'),
}))

describe.each(pages)('$name', ({ name, text }) => {
  it('has up-to-date generated tables and examples (to update: npm run generate)', () => {
    expect(text).toBe(withParts(text))
  })

  it('refers only to existing npm scripts and files', () => {
    const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
    const run = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script ?? '')
    expect(run.filter((script) => !(script in scripts))).toEqual([])
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link]) => link ?? '')
    expect(links.filter((link) => !existsSync(new URL(link, new URL(name, root))))).toEqual([])
  })

  it("names only models of the fixtures' vendors that exist", () => {
    const vendors = [...new Set(modelIds.map((id) => id.split('/')[0]))].join('|')
    const named = text.matchAll(new RegExp(`(?<![\\w@/.-])(?:${vendors})/[\\w.*-]*[\\w*]`, 'g'))
    for (const [name] of named)
      expect(
        modelIds.some((id) => matchesGlob(id, name)),
        name,
      ).toBe(true)
  })

  it('links only to headings that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
    const broken = links.filter(([, file, heading]) => {
      const target = file ? readFileSync(new URL(file, new URL(name, root)), 'utf8') : text
      return !headings(target).includes(heading as string)
    })
    expect(broken.map(([link]) => link)).toEqual([])
  })
})

it('README.md has at most 125 lines, and the number of faults', () => {
  const text = readFileSync(new URL('README.md', root), 'utf8')
  expect(text.split('\n').length).toBeLessThan(126)
  expect(text).toContain(`in ${faults.length} named ways`)
})

describe.each(pages)('code in $name', ({ text }) => {
  const written = text.replace(/<!-- generated: \S+ -->\n[\s\S]*?<!-- end -->/g, '')

  it('is quoted from files that tests run, unless the document says "Not run by our tests"', () => {
    const languages = [...written.matchAll(/^```(\w+)\n[\s\S]*?^```/gm)].map(([, language]) => language)
    const code = languages.filter((language) => !['sh', 'yaml', 'dockerfile'].includes(language as string))
    if (!written.includes('Not run by our tests')) expect(code).toEqual([])
  })

  it('uses only commands and flags that exist', async () => {
    for (const [line, command = 'serve', flags = ''] of written.matchAll(
      /(?<=^|`|npx )gateway-understudy(?: (?!-)(\w+))?((?: [^`\n>&|]+)?)/gm,
    )) {
      if (!/ --/.test(flags)) continue
      const help = await helpOf(command)
      const unknown = [...flags.matchAll(/--[a-z-]+/g)].filter(([flag]) => !help.includes(`${flag} `))
      expect(
        unknown.map(([flag]) => flag),
        line,
      ).toEqual([])
    }
  })
})

const helps = new Map<string, string>()

async function helpOf(command: string): Promise<string> {
  if (!helps.has(command)) {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    await run([command, '--help'], () => Promise.reject(new Error('only help')))
    helps.set(command, write.mock.calls.join('').replaceAll(/\s+/g, ' '))
    write.mockRestore()
  }
  return helps.get(command) as string
}

/** Returns the anchors of a document's headings. */
function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )
}

describe('the documents', () => {
  it('are twelve pages for users, all linked from the README and llms.txt', () => {
    const guides = documents.filter((name) => name.startsWith('docs/'))
    expect(guides).toHaveLength(12)
    for (const start of ['README.md', 'llms.txt']) {
      const text = readFileSync(new URL(start, root), 'utf8')
      expect(guides.filter((name) => !text.includes(`](${name}`))).toEqual([])
    }
  })

  it('include every tested example', () => {
    const files = readdirSync(new URL('examples', import.meta.url)).filter((name) => name.endsWith('.ts'))
    const all = pages.map(({ text }) => text).join()
    // A document shows the scenario file that this test loads, but not the test.
    const shown = files.filter((file) => file !== 'scenario-file.test.ts')
    expect(shown.filter((file) => !all.includes(`generated: example/${file}`))).toEqual([])
  })
})

it('the remote client has the paths of all control operations (to update: npm run generate)', () => {
  expect(readFileSync(new URL('src/control/route-paths.ts', root), 'utf8')).toBe(routePathsText())
})

describe('the gateway options', () => {
  it('all have a description', () => {
    const options = gatewayOptions()
    expect(options.length).toBeGreaterThan(15)
    expect(options.filter(({ says }) => says === '')).toEqual([])
  })
})

describe.each([
  { name: 'CONTRIBUTING.md', folder: 'src/gateway/' },
  { name: 'AGENTS.md', folder: '' },
  { name: 'test/README.md', folder: 'test/' },
])('$name', ({ name, folder }) => {
  it('refers only to existing files and folders', () => {
    const text = readFileSync(new URL(name, root), 'utf8')
    const paths = [...text.matchAll(/`((?:src|test|fixtures|scenarios)\/[\w./-]*)`/g)].map(([, path]) => path)
    // Files in table cells are relative to `folder`.
    const cells = [...text.matchAll(/(?<=\| (?:`[\w./-]+`, )?)`((?!src|test)[\w/-]+\.ts)`(?=,? [|`])/g)]
    const files = [...paths, ...cells.map(([, file]) => `${folder}${file}`)]
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((path) => !existsSync(new URL(path ?? '', root)))).toEqual([])
  })
})

describe('docs/clients.md', () => {
  it('covers every fault and every bundled scenario (to update: npm run generate:clients)', () => {
    expect(Object.keys(recording.faults)).toEqual(faults.map(({ name }) => name))
    expect(Object.keys(recording.scenarios)).toEqual([...bundledScenarios.keys()])
  })
})
