/**
 * Generates parts of the documents: tables from the source, and examples from files that the tests run. A
 * part is between `<!-- generated: name -->` and `<!-- end -->`.
 */
import { globSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { toProgram } from '../../src/cli/command-line.ts'
import { JournalEntry } from '../../src/journal/entry.ts'
import { bundledScenarios } from '../../src/scenarios/bundled.ts'
import { When } from '../../src/scenarios/condition.ts'
import { Rule } from '../../src/scenarios/scenario.ts'
import { everyOperation } from '../../src/setup.ts'
import { layers } from '../layers.ts'
import { assumptionGroups, requestRules } from './assumption-sections.ts'
import { faultSections } from './fault-sections.ts'
import { fixtureSections } from './fixture-sections.ts'
import { flagOf, optionSections } from './option-sections.ts'
import { table } from './table.ts'

const root = new URL('../../', import.meta.url)

/** Paths of all documents, relative to the project's root. */
export const documents: readonly string[] = globSync(
  ['*.md', 'llms.txt', '{docs,fixtures,test,.github}/*.md'],
  { cwd: root, exclude: ['.github/DEPENDENCIES.md'] },
).sort()

const program = await toProgram(() => Promise.reject(new Error('only read')))

const parts: Record<string, () => string> = {
  operations: () =>
    table(
      ['Request', 'Operation', 'Description'],
      everyOperation.map(({ id, method, path, doc }) => [
        `\`${method.toUpperCase()} ${path}\``,
        `\`${id}\``,
        `${doc?.summary ?? id}${doc?.beta ? ' (beta)' : ''}`,
      ]),
    ),
  assumptions: assumptionGroups,
  'request-rules': requestRules,
  'recording-commands': () => flagTable(['record', 'import', 'drift']),
  'serve-flags': () => flagTable(['serve']),
  exports: () =>
    table(
      ['Import', 'Values', 'Types'],
      ['index', 'vitest', 'playwright', 'node', 'msw', 'remote', 'serve', 'verdicts'].map((entry) => {
        const names = exportsOf(readFileSync(new URL(`src/${entry}.ts`, root), 'utf8'))
        const list = (isType: boolean) =>
          names.flatMap(([name, type]) => (type === isType ? [`\`${name}\``] : [])).join(', ')
        return [`\`gateway-understudy${entry === 'index' ? '' : `/${entry}`}\``, list(false), list(true)]
      }),
    ),
  'journal-entry': () =>
    table(
      ['Field', 'Description'],
      Object.entries(JournalEntry._zod.innerType.shape).map(([name, schema]) => [
        `\`${name}\``,
        `${schema.description}${membersOf(schema)}`,
      ]),
    ),
  scenarios: () =>
    table(
      ['Name', 'What the client sees'],
      [...bundledScenarios.values()].map(({ name, description }) => [`\`${name}\``, description]),
    ),
  'scenario-names': () => [...bundledScenarios.keys()].map((name) => `\`${name}\``).join(', '),
  rule: () =>
    table(
      ['Field', 'Description'],
      [...fields(Rule.unwrap().shape), ...fields(When.unwrap().shape, 'when.')],
    ),
  dockerfile: () => `\`\`\`dockerfile\n${readFileSync(new URL('Dockerfile', root), 'utf8').trim()}\n\`\`\``,
  layers() {
    const lines = [...layers].reverse().map((folders) => Object.entries(folders).map(layerLine).join('\n'))
    return `\`\`\`\n${lines.join('\n')}\n\`\`\``
  },
  ...faultSections,
  ...fixtureSections,
  ...optionSections,
}

/** The first folder of a layer starts at the margin; other folders of the layer are indented. */
function layerLine([name, subject]: [string, string], place: number): string {
  return `${place === 0 ? '' : '  '}${name.padEnd(place === 0 ? 22 : 20)} ${subject.replaceAll('`', '')}`
}

/** Returns the names that a module exports, each with whether it is a type. */
function exportsOf(text: string): [name: string, isType: boolean][] {
  const declared = [...text.matchAll(/^export (?:async )?(function|const|class|interface|type) (\w+)/gm)]
  const lists = [...text.matchAll(/^export (type )?\{([^}]*)\}/gm)]
  return [
    ...declared.map(([, kind, name = '']): [string, boolean] => [
      name,
      kind === 'interface' || kind === 'type',
    ]),
    ...lists.flatMap(([, allTypes, names = '']) =>
      names
        .split(',')
        .map((each) => each.trim())
        .filter((each) => each !== '')
        .map((each): [string, boolean] => [
          each.replace(/^type /, '').replace(/^.* as /, ''),
          allTypes !== undefined || each.startsWith('type '),
        ]),
    ),
  ]
}

/** Lists the flags of commands, except those that set an option, which the table of options shows. */
function flagTable(names: readonly string[]): string {
  return table(
    [...(names.length > 1 ? ['Command'] : []), 'Flag', 'Description'],
    program.commands
      .filter((command) => names.includes(command.name()))
      .flatMap((command) =>
        command.options
          .filter(({ flags }) => command.name() !== 'serve' || !flagOf.has(flags))
          .map(({ flags, description, argChoices, defaultValue }) => [
            ...(names.length > 1 ? [`\`${command.name()}\``] : []),
            `\`${flags}\``,
            description +
              (argChoices ? `: ${argChoices.join(' or ')}` : '') +
              (defaultValue === undefined ? '' : ` (default: ${defaultValue})`),
          ]),
      ),
  )
}

/** Returns a document with all its generated parts up to date. */
export function withParts(document: string): string {
  return document.replace(
    /<!-- generated: (\S+) -->\n[\s\S]*?<!-- end -->/g,
    (_, name: string) => `<!-- generated: ${name} -->\n${part(name)}\n<!-- end -->`,
  )
}

function part(name: string): string {
  if (name.startsWith('example/')) return code(`examples/${name.slice('example/'.length)}`)
  if (name.startsWith('consumer/')) return code(`../consumers/${name.slice('consumer/'.length)}`)
  const make = parts[name]
  if (!make) throw new Error(`A document has an unknown generated part: ${name}`)
  return make()
}

/** Quotes a file, or one region of it: `file.ts#name`, between `#region name` and `#endregion`. */
function code(place: string): string {
  const [file = place, name] = place.split('#')
  const whole = readFileSync(new URL(file, import.meta.url), 'utf8').trim()
  const text = name ? regionOf(whole, name) : whole
  if (text === undefined) throw new Error(`${file} has no region '${name}'`)
  return `\`\`\`${/\w+$/.exec(file)?.[0]}\n${text}\n\`\`\``
}

/** Returns a region's lines without indentation. */
function regionOf(text: string, name: string): string | undefined {
  const [, indent = '', lines] =
    new RegExp(`^( *)// #region ${name}\\n([^]*?)\\n *// #endregion`, 'm').exec(text) ?? []
  return lines?.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
}

/** Returns the names of the fields of an object, or of the objects in a list. */
function membersOf(schema: z.ZodType): string {
  const inner = Object(schema.def)
  const next: z.ZodType | undefined = inner.innerType ?? inner.element ?? inner.getter?.()
  if (next) return membersOf(next)
  const names = Object.keys(inner.shape ?? {}).map((name) => `\`${name}\``)
  return names.length > 0 ? ` Fields: ${names.join(', ')}.` : ''
}

/** Returns a table row for each field of a schema that has a description. */
function fields(shape: Readonly<Record<string, z.ZodType>>, prefix = ''): string[][] {
  return Object.entries(shape).flatMap(([name, schema]) => {
    const inner = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema
    const description = schema.description ?? inner.description
    return description ? [[`\`${prefix}${name}\``, description]] : []
  })
}
