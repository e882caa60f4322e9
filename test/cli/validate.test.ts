import { mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { validateFiles } from '../../src/cli/validate.ts'
import { createGateway } from '../../src/index.ts'
import { formatProblem } from '../../src/lib/data-file.ts'
import { hasExtra } from '../has-extra.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const folder = temporaryFolder()

/** Returns a file's problems, one line each, without the folder name. */
async function problemsOf(name: string, text?: string | Uint8Array): Promise<string[]> {
  const file = join(folder, name)
  if (text !== undefined) await writeFile(file, text)
  return validateFiles([file]).map((problem) => formatProblem(problem).replace(`${folder}/`, ''))
}

async function folderOf(url: string): Promise<string[]> {
  const path = new URL(url, import.meta.url).pathname
  return (await readdir(path)).filter((name) => !/schema|\.md$/.test(name)).map((name) => join(path, name))
}

describe('validateFiles() with scenario files', () => {
  const yaml = [
    '# What we saw on Monday.',
    'name: monday',
    'rules:',
    '  - on: createResponse',
    '    times: 2',
    '    fault: { name: stream-cut, afterEvents: 5 }',
    '  - on: listProviders',
    '    fault: status',
    '',
  ].join('\n')

  it('accepts a list whose closing bracket is level with its key', async () => {
    const text = 'name: outage\nrules: [\n  { on: createResponse, fault: timeout },\n]\n'
    expect(await problemsOf('bracket.yaml', text)).toEqual([])
  })

  it('accepts a valid YAML file', async () => {
    expect(await problemsOf('monday.yaml', yaml)).toEqual([])
    using use = createGateway().use(join(folder, 'monday.yaml') as `${string}.yaml`)
    expect(use.name).toBe('monday')
  })

  it('reports every problem in YAML with line and column', async () => {
    const wrong = yaml.replace('listProviders', 'listProvider').replace('createResponse', 'createRespons')
    expect(await problemsOf('wrong.yaml', wrong)).toEqual([
      "wrong.yaml:4:5: rule 1 of 'monday': on: unknown operation 'createRespons'; did you mean 'createResponse'?",
      "wrong.yaml:7:5: rule 2 of 'monday': on: unknown operation 'listProvider'; did you mean 'listProviders'?",
    ])
  })

  it('reports problems in JSON with line and column', async () => {
    const text = '{\n  "name": "a",\n  "rules": [\n    { "on": "*", "fautl": "status" }\n  ]\n}'
    expect(await problemsOf('wrong.json', text)).toEqual([
      "wrong.json:4:18: rule 1 of 'a': unknown field 'fautl'; did you mean 'fault'?",
    ])
  })

  it('reports columns in JSON that is indented with tabs', async () => {
    const text =
      '{\n\t"name": "a",\n\t"rules": [\n\t\t{ "on": "*", "on": "*", "times": 0, "fault": "status" }\n\t]\n}'
    expect(await problemsOf('tabs.json', text)).toEqual([
      expect.stringMatching(/^tabs\.json:4:27: rule 1 of 'a': times must be/),
    ])
  })

  it('finds the problems for which use() throws a one-line error', async () => {
    await writeFile(join(folder, 'two.yaml'), yaml.replaceAll('on:', 'onn:'))
    expect(() => createGateway().use(join(folder, 'two.yaml') as `${string}.yaml`)).toThrow(
      /two\.yaml:4:5: rule 1 of 'monday': unknown field 'onn'; did you mean 'on'\? \(and 3 more\)$/,
    )
  })

  it('checks files with a single rule, and files with createGateway options', async () => {
    expect(await problemsOf('rule.yaml', 'on: "*"\n\nfault: nothing\n')).toEqual([
      expect.stringMatching(/^rule\.yaml:3:1: fault: 'nothing' is unknown/),
    ])
    expect(await problemsOf('config.json', '{ "timeScale": 2, "scenarios": ["flaky"] }')).toEqual([])
    expect(await problemsOf('config.json', '{ "timeScale": -1 }')).toEqual([
      'config.json:1:1: options.timeScale must be 0 or more, got -1',
    ])
    expect(await problemsOf('config.json', '{ "timescale": 0, "seed": 3 }')).toEqual([
      "config.json:1:1: unknown option 'timescale'; did you mean 'timeScale'?",
    ])
    expect(await problemsOf('config.json', '{ "scenarios": ["flaky", { "on": "*" }] }')).toEqual([
      expect.stringMatching(/^config\.json:1:1: scenarios\[1\]: the rule has no effect/),
    ])
    for (const text of ['null', '"timeScale"'])
      expect(await problemsOf('value.json', text)).toEqual([
        expect.stringContaining('value.json:1:1: a scenario must be { name, rules: […] }, got'),
      ])
    for (const field of ['"rules": []', '"on": "*"'])
      expect(await problemsOf('both.json', `{ "timeScale": 2, ${field} }`)).toContainEqual(
        expect.stringContaining("both.json:1:3: unknown field 'timeScale'"),
      )
  })

  it('reports an aliased value at its anchor', async () => {
    const text = 'name: a\nrules:\n  - &one { on: "*", fault: nothing }\n  - *one\n'
    expect(await problemsOf('alias.yaml', text)).toEqual([
      expect.stringContaining("alias.yaml:3:21: rule 1 of 'a': fault: 'nothing' is unknown"),
      expect.stringContaining("alias.yaml:3:21: rule 2 of 'a': fault: 'nothing' is unknown"),
    ])
  })
})

describe('validateFiles() with unreadable files', () => {
  it('reports a missing file', async () => {
    expect(await problemsOf('missing.yaml')).toEqual(['missing.yaml: no such file'])
  })
  it('reports a directory', async () => {
    await mkdir(join(folder, 'scenarios.yaml'))
    expect(await problemsOf('scenarios.yaml')).toEqual(['scenarios.yaml: is a directory: name a file in it'])
  })
  it.each([
    ['scenario.yaml', 50, 'is 50 MB; the maximum is 1 MB'],
    ['posts.json', 65, 'is 65 MB; the maximum is 64 MB'],
  ])('reports the size of %s with %i MB', async (name, megabytes, problem) => {
    await writeFile(join(folder, name), '')
    await truncate(join(folder, name), megabytes * 1024 * 1024)
    expect(await problemsOf(name)).toEqual([`${name}: ${problem}`])
  })
  it.each([
    ['notes.txt', 'name: a', 'must be a .yaml, .yml or .json file'],
    ['binary.json', Uint8Array.of(0x7b, 0xff, 0x7d), 'is not UTF-8 text'],
    ['empty.yaml', '', 'is empty'],
  ])('reports %s with the content %j', async (name, content, problem) => {
    expect(await problemsOf(name, content)).toEqual([`${name}: ${problem}`])
  })
  it('reports a YAML alias bomb', async () => {
    const levels = [...'bcdefghi'].map((name, index) => {
      const below = `*${'abcdefgh'[index]}`
      return `${name}: &${name} [${Array(9).fill(below).join(', ')}]`
    })
    expect(await problemsOf('bomb.yaml', ['a: &a [x, x]', ...levels].join('\n'))).toEqual([
      'bomb.yaml:1:1: expands to too many values through aliases',
    ])
  })
  it.each(['[', '- ', '{"a":', 'a: {'])('reports 30,000 levels of %s', async (level) => {
    const text = level.repeat(30_000)
    expect(await problemsOf('deep.yaml', text)).toEqual([
      expect.stringMatching(/^deep\.yaml:1:\d+: is nested too deeply$/),
    ])
  })
  it('reports truncated JSON', async () => {
    const [problem] = await problemsOf('end.json', '{\n  "name":')
    expect(problem).toMatch(
      /^end\.json:\d+:\d+: not JSON: a bracket, quote, comma or colon is missing, or a quote or backslash is not escaped$/,
    )
  })
  it.each([
    ["a: 'x", '1:6: not YAML: a bracket, quote, comma or colon is missing, or the indentation is wrong'],
    [
      'rules:\n  - on: text\n   fault: timeout',
      '3:1: not YAML: a bracket, quote, comma or colon is missing, or the indentation is wrong',
    ],
    ['a: 1\n---\nb: 2\n', '2:1: not YAML: only one value is allowed'],
    ['- a\nb: 1\n', '2:1: not YAML: check the indentation and punctuation here, or quote the text'],
    [
      'a: [b\n',
      '2:1: not YAML: close each bracket, check the indentation of this line and the one above, or quote text with a colon',
    ],
    ['a: {b: 1 c: 2}\n', '1:8: not YAML: a bracket or comma is missing'],
    ['a: {{ input }}\n', '1:4: not YAML: quote text that begins with {{'],
    ['a: [,]\n', '1:5: not YAML: check the indentation and punctuation here, or quote the text'],
    ['a: [\n  b\n]\n- c\n', '4:1: not YAML: write a colon and a space after the key'],
    ['a:\n\tb: 1\n', '2:1: not YAML: indent with spaces instead of tabs'],
    ['a: 1\na: 2\n', '2:1: not YAML: this key occurs twice'],
    ['a: *b*\n', '1:4: not YAML: quote text that begins with *'],
    ['a: @b\n', '1:4: not YAML: quote text that begins with this character'],
    ['a: "\\d"\n', '1:5: not YAML: write \\\\ for a backslash, or use single quotes'],
    ['%a: 1\n', '2:1: not YAML: a bracket, quote, comma or colon is missing, or the indentation is wrong'],
    ['a: !!foo 1\n', '1:4: not YAML: remove the tag, or quote text that begins with !'],
  ])('reports invalid YAML %j', async (text, problem) => {
    expect(await problemsOf('invalid.yaml', text)).toEqual([`invalid.yaml:${problem}`])
  })
})

describe('validateFiles() with fixture files', () => {
  const provider = { name: 'One', slug: 'one', privacy_policy_url: null }

  it('accepts a list of records for the collection named by the file', async () => {
    expect(await problemsOf('providers.json', JSON.stringify([provider]))).toEqual([])
  })

  it('reports a record that violates the schema, with line and column', async () => {
    const text = `[\n  ${JSON.stringify(provider)},\n  { "name": "Two",\n    "slug": 2,\n    "privacy_policy_url": null }\n]`
    expect(await problemsOf('providers.json', text)).toEqual([
      'providers.json:4:5: 1.slug must be a string, got 2',
    ])
  })

  it('reports a duplicate key', async () => {
    const text = `[\n${JSON.stringify(provider)},\n${JSON.stringify(provider)}\n]`
    expect(await problemsOf('providers.json', text)).toEqual([
      "providers.json:1:1: options.fixtures.providers[1].slug: 'one' is taken by providers[0]",
    ])
  })

  it('reports a list whose file name is not a collection', async () => {
    expect(await problemsOf('provider.json', '[]')).toEqual([
      "provider.json:1:1: A list is read as a fixture (for a scenario, write { name, rules: […] }), but there is no collection 'provider'; did you mean 'providers'?",
    ])
  })

  it('reports an object instead of a list', async () => {
    expect(await problemsOf('posts.json', '{}')).toEqual(['posts.json:1:1: Must be a list, got {}'])
  })
})

// One scenario has rules for several operations outside the specification.
const hasExtensions = ['chat', 'messages', 'models'].every(hasExtra)

it.runIf(hasExtensions)('validateFiles() accepts all bundled scenarios and fixtures', async () => {
  const all = [...(await folderOf('../../scenarios/')), ...(await folderOf('../../fixtures/'))]
  // These fixtures are not collections.
  const files = all.filter((file) => !/(?:\.md|(?:catalog|files|texts|values|words)\.json)$/.test(file))
  expect(files.length).toBeGreaterThan(15)
  expect(validateFiles(files)).toEqual([])
})
