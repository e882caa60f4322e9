/**
 * Generates the READMEs' option tables from doc comments in the source.
 */
import { globSync, readFileSync } from 'node:fs'
import { table } from './table.ts'

interface Option {
  name: string
  says: string
  /** Default as Markdown; empty if there is none. */
  standard: string
}

export const optionSections: Record<string, () => string> = {
  options: () => tableOf(gatewayOptions()),
  'server-options': () => tableOf(optionsOf(sourceOf('server/server-options.ts'), 'ServerSettings')),
}

/** Returns the core's options, then each extra's. */
export function gatewayOptions(): Option[] {
  const files = globSync('extras/*/*.ts', { cwd: new URL('../../src', import.meta.url) }).sort()
  const ofExtras = files.flatMap((file) => {
    const source = sourceOf(file)
    const [, name] = /^export interface (\w+Options) \{/m.exec(source) ?? []
    return name === undefined ? [] : optionsOf(source, name)
  })
  return [...optionsOf(sourceOf('sandbox/options-input.ts'), 'GatewayOptionsInput'), ...ofExtras]
}

function sourceOf(file: string): string {
  return readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')
}

function tableOf(rows: Option[]): string {
  return table(
    ['Option', 'Description', 'Default'],
    rows.map(({ name, says, standard }) => [`\`${name}\``, says, standard]),
  )
}

/** Returns the fields of an interface with their comments; nested fields are named `outer.inner`. */
function optionsOf(source: string, interfaceName: string): Option[] {
  const start = source.indexOf(`export interface ${interfaceName}`)
  const body = source.slice(start, source.indexOf('\n}\n', start))
  const options: Option[] = []
  const outer: string[] = []
  let comment = ''
  for (const line of body.split('\n').slice(1)) {
    const text = line.trim()
    const field = /^(?:readonly )?(\w+)\??: ?(.*)$/.exec(text)
    if (/^(\/\*\*|\*)/.test(text)) comment += ` ${text.replace(/^\/?\*+\/?\s?/, '').replace(/\s*\*\/$/, '')}`
    else if (text === '}') outer.pop()
    else if (field?.[2] === '{') outer.push(field[1] as string)
    else if (field) options.push({ name: [...outer, field[1]].join('.'), ...toParts(comment) })
    if (field) comment = ''
  }
  return options
}

function toParts(comment: string): Pick<Option, 'says' | 'standard'> {
  const text = comment.trim().replaceAll(/\s+/g, ' ')
  const [, says = text, standard = ''] = /^(.*?) ?Default: (.*)\.$/.exec(text) ?? []
  return { says, standard }
}
