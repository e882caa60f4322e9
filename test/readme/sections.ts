/**
 * Generates parts of the documents: tables from the source, and examples from files that the tests run. A
 * part is between `<!-- generated: name -->` and `<!-- end -->`.
 */
import { globSync, readFileSync } from 'node:fs'
import { Command } from 'commander'
import type * as z from 'zod'
import { assumptions } from '../../src/assumptions.ts'
import { addRecordingCommands } from '../../src/extras/recordings/commands.ts'
import { operations } from '../../src/operations/index.ts'
import { bundledScenarios } from '../../src/scenarios/bundled.ts'
import { When } from '../../src/scenarios/condition.ts'
import { Rule } from '../../src/scenarios/scenario.ts'
import { layers } from '../layers.ts'
import { faultSections } from './fault-sections.ts'
import { fixtureSections } from './fixture-sections.ts'
import { optionSections } from './option-sections.ts'
import { table } from './table.ts'

const root = new URL('../../', import.meta.url)

/** Paths of all documents, relative to the project's root. DEPENDENCIES.md is generated as a whole. */
export const documents: readonly string[] = globSync(
  ['*.md', 'llms.txt', '{scenarios,fixtures}/*.md', '{src,test}/**/*.md'],
  { cwd: root, exclude: ['**/node_modules/**', 'DEPENDENCIES.md'] },
).sort()

const parts: Record<string, () => string> = {
  operations: () =>
    table(
      ['Operation', 'Request', 'Description'],
      operations.map(({ id, method, path, doc }) => [
        `\`${id}\``,
        `\`${method.toUpperCase()} ${path}\``,
        `${doc?.summary ?? id}${doc?.beta ? ' (beta)' : ''}`,
      ]),
    ),
  assumptions: () =>
    table(
      ['Name', 'Not specified', 'Behaviour'],
      Object.entries(assumptions).map(([name, { about, choice }]) => [`\`${name}\``, about, choice]),
    ),
  'recording-commands': () =>
    table(
      ['Command', 'Flag', 'Description'],
      recordingCommands().flatMap((command) =>
        command.options.map(({ flags, description }) => [
          `\`${command.name()}\``,
          `\`${flags}\``,
          description,
        ]),
      ),
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
  return `${place === 0 ? '' : '  '}${name.padEnd(place === 0 ? 19 : 17)} ${subject.replaceAll('`', '')}`
}

function recordingCommands(): readonly Command[] {
  const program = new Command()
  addRecordingCommands(program, [])
  return program.commands
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

/** Returns a table row for each field of a schema that has a description. */
function fields(shape: Readonly<Record<string, z.ZodType>>, prefix = ''): string[][] {
  return Object.entries(shape).flatMap(([name, { description }]) =>
    description ? [[`\`${prefix}${name}\``, description]] : [],
  )
}
