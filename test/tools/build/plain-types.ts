/**
 * Writes the published types of schemas: plain interfaces with the sentences in `.describe`, which editors
 * show, and without zod, whose types would slow down every user's compiler. Sources infer these types; the
 * build replaces each `export type Name = z.input<typeof Schema>` (or `z.output`; `z.infer` stays), the same for
 * declared options (`OptionsInput`, `OptionsOutput`), and the types in `listed`.
 */
import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Rolldown } from 'tsdown'
import { parseSync } from 'vite'
import * as z from 'zod'
import { describe, type Options } from '../../../src/sandbox/option.ts'
import { comment, declaration, fieldsOf, pascal, union, type Writing } from './written-type.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Returns a source file or its declarations with plain types. */
export type WithPlainTypes = (text: string, file: string) => string

export function plainDeclarations(): Rolldown.Plugin {
  let loading: Promise<WithPlainTypes> | undefined
  return {
    name: 'plain-declarations',
    transform: {
      order: 'pre',
      filter: { id: /\/src\/.*\.d\.ts$/ },
      async handler(code, id) {
        loading ??= loadPlainTypes()
        return (await loading)(code, id)
      },
    },
  }
}

export async function loadPlainTypes(): Promise<WithPlainTypes> {
  const aliases = await findAliases()
  const names = new Map(
    aliases.flatMap(({ name, side, schema }) => (side === 'input' ? [[schema, name] as const] : [])),
  )
  const { FaultSetting } = await import('../../../src/faults/index.ts')
  const { Duration, PositiveDuration, WindowLength } = await import('../../../src/lib/numbers.ts')
  const { Rule, RuleSource } = await import('../../../src/scenarios/scenario.ts')
  const { ServedGateway } = await import('../../../src/server/server-options.ts')
  const { LatencyOption } = await import('../../../src/sandbox/latency.ts')
  const outputNames = new Map<z.ZodType, string>([
    [RuleSource, 'Rule'],
    [LatencyOption, 'Latency'],
    [ServedGateway, 'GatewayCore'],
    [PositiveDuration, 'number'],
    [WindowLength, 'number'],
  ])
  names
    .set(ServedGateway, 'GatewayCore')
    .set(FaultSetting, 'Fault')
    .set(Duration, 'Duration')
    .set(PositiveDuration, 'Duration')
    .set(WindowLength, 'Duration')
    .set(
      Rule._zod.innerType.shape.on,
      'OperationName | CustomOperationId | (OperationName | CustomOperationId)[]',
    )

  const named = await findNamed()
  for (const { name, schema } of named)
    for (const each of [names, outputNames]) if (!each.has(schema)) each.set(schema, name)

  const texts = new Map(await listed())
  for (const { name, side, schema } of aliases)
    texts.set(name, declaration(schema, name, { side, names: side === 'input' ? names : outputNames }))
  const files = new Map([
    ...[...aliases, ...named].map(({ name, file }) => [name, file] as const),
    ['Duration', `${root}src/lib/numbers.ts`] as const,
    ['GatewayCore', `${root}src/gateway/gateway.ts`] as const,
    ['Latency', `${root}src/sandbox/latency.ts`] as const,
    ['Fault', `${root}src/faults/index.ts`] as const,
    ['Json', `${root}src/lib/json.ts`] as const,
    ['OperationName', `${root}src/scenarios/names.ts`] as const,
    ['CustomOperationId', `${root}src/scenarios/names.ts`] as const,
  ])
  return (text, file) => replaced(text, file, texts, files)
}

interface Alias {
  readonly name: string
  readonly file: string
  readonly side: 'input' | 'output'
  readonly schema: z.ZodType
}

async function findAliases(): Promise<Alias[]> {
  const aliases: Alias[] = []
  for await (const path of glob('src/**/*.ts', { cwd: root })) {
    const file = `${root}${path}`
    for (const [, name = '', kind = '', value = ''] of readFileSync(file, 'utf8').matchAll(alias)) {
      const declared = (await import(file))[value]
      const side = kind.toLowerCase().endsWith('input') ? 'input' : 'output'
      const schema = kind.startsWith('z.') ? declared : toSchema(declared, side)
      aliases.push({ name, file, side, schema })
    }
  }
  return aliases
}

const alias =
  /^export (?:type|interface) (\w+) (?:=|extends) (z\.input|z\.output|OptionsInput|OptionsOutput)<typeof (\w+)>/gm

/** Finds schemas that have the same name as a type, which says more than the schema. */
async function findNamed(): Promise<{ name: string; file: string; schema: z.ZodType }[]> {
  const named: { name: string; file: string; schema: z.ZodType }[] = []
  for await (const path of glob('src/**/*.ts', { cwd: root })) {
    const file = `${root}${path}`
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^export (?:type|interface) (\w+)\b(?! = z\.)/gm,
    ))
      if (new RegExp(`^export const ${name}\\b`, 'm').test(readFileSync(file, 'utf8')))
        named.push({ name, file, schema: (await import(file))[name] })
  }
  return named
}

/** Returns the schema of declared options, with their descriptions and defaults. */
function toSchema(options: Options, side: Alias['side']): z.ZodType {
  const fields = Object.entries(options).map(([name, declared]) => {
    if ('options' in declared) {
      const { main, options, description } = declared
      const group = toSchema(options, side)
      const short = main !== undefined && side === 'input' ? options[main] : undefined
      const schema = short && 'schema' in short ? z.union([group, short.schema()]) : group
      return [name, schema.prefault({}).describe(description)]
    }
    const schema = declared.schema()
    const field = declared.default === undefined ? schema.optional() : schema.default(declared.default)
    return [name, field.describe(describe(declared))]
  })
  return z.strictObject(Object.fromEntries(fields))
}

/** Types inferred from lists of faults, collections and scenarios. */
async function listed(): Promise<[name: string, text: string][]> {
  const { faults } = await import('../../../src/faults/index.ts')
  const { collections } = await import('../../../src/resources/collections.ts')
  const { bundledScenarios } = await import('../../../src/scenarios/bundled.ts')
  const { assumptions } = await import('../../../src/assumptions.ts')
  const names = (all: readonly { readonly name: string }[]) => union(all.map(({ name }) => `'${name}'`))
  const output: Writing = { side: 'output', names: new Map() }
  const rowName = (name: string) => `${pascal(name).replace(/ies$/, 'y').replace(/s$/, '')}Row`
  // Written out, because editors show no documentation for a mapped type's members.
  const databaseOf = (name: string, records: string) =>
    `export interface ${name} {\n${collections.map((each) => `  /** Records of \`${each.name}\`. */\n  readonly ${each.name}: ${records}<Rows['${each.name}']>\n`).join('')}}`
  const rows = collections.map(
    ({ name }) => `  /** A record of \`db.${name}\`. */\n  ${name}: ${rowName(name)}\n`,
  )
  return [
    ['FaultName', `export type FaultName =${names(faults)}`],
    [
      'BareFaultName',
      `export type BareFaultName =${names(faults.filter(({ params }) => params().safeParse({}).success))}`,
    ],
    [
      'Fault',
      [
        `export type Fault =${union(['BareFaultName', ...faults.map(({ name }) => `${pascal(name)}Fault`)])}`,
        ...faults.map(({ name, summary, params }) => {
          const fields = fieldsOf(params(), { side: 'input', names: new Map() }, 1)
          return `${comment(summary, 0)}export interface ${pascal(name)}Fault {\n  name: '${name}'\n${fields}}`
        }),
      ].join('\n'),
    ],
    [
      'Rows',
      [
        `export interface Rows {\n${rows.join('')}}`,
        ...collections.map(
          ({ name, schema }) =>
            comment(`A record of \`${name}\`.`, 0) + declaration(schema, rowName(name), output),
        ),
      ].join('\n'),
    ],
    ['Database', databaseOf('Database', 'Records')],
    ['RemoteDatabase', databaseOf('RemoteDatabase', 'RemoteRecords')],
    ...(await documentedTypes()),
    [
      'SizedCollectionName',
      `export type SizedCollectionName =${names(collections.filter(({ partOf }) => !partOf))}`,
    ],
    [
      'AssumptionName',
      `export type AssumptionName =${names(Object.keys(assumptions).map((name) => ({ name })))}`,
    ],
    [
      'BundledScenarioName',
      `export type BundledScenarioName =${names([...bundledScenarios.keys()].map((name) => ({ name })))}`,
    ],
  ]
}

/** Writes out mapped types with the comments of the types that they derive from. */
async function documentedTypes(): Promise<[name: string, text: string][]> {
  const { remoteMethods } = await import('../../../src/control/route-paths.ts')
  const write = (
    name: string,
    file: string,
    members: readonly string[],
    type: (member: string) => string,
  ) => {
    const source = readFileSync(`${root}src/${file}`, 'utf8')
    const fields = members.flatMap((member) => {
      const [, comment] = documentedMember(member).exec(source) ?? []
      return comment === undefined ? [] : `  ${comment}\n  readonly ${member}: ${type(member)}\n`
    })
    return `export interface ${name} {\n${fields.join('')}}`
  }
  const promised = (type: string) => (member: string) => `Promised<Pick<${type}, '${member}'>>['${member}']`
  const journal = [...Object.keys(remoteMethods.journal), 'har']
  return [
    [
      'DerivedMethods',
      write(
        'DerivedMethods<RequestBodies extends object>',
        'sandbox/sandbox.ts',
        Object.keys(remoteMethods.sandbox),
        promised('Sandbox<RequestBodies>'),
      ),
    ],
    [
      'DerivedJournal',
      write(
        'DerivedJournal<RequestBodies extends object>',
        'journal/journal.ts',
        journal,
        promised('Journal<RequestBodies>'),
      ),
    ],
  ]
}

function documentedMember(name: string): RegExp {
  return new RegExp(
    `(/\\*\\*(?:(?!\\*/)[^])*\\*/)\\n(?:\\s*//.*\\n)*\\s*(?:readonly |async |get )*${name}[?(<:]`,
  )
}

function replaced(
  text: string,
  file: string,
  texts: ReadonlyMap<string, string>,
  files: ReadonlyMap<string, string>,
): string {
  const known = new Set<string>()
  const parts: string[] = []
  let end = 0
  const { body } = parseSync(file, text).program
  const types = new Set(
    body.flatMap((node) => {
      const { declaration } = node.type === 'ExportNamedDeclaration' ? node : { declaration: undefined }
      const isType =
        declaration?.type === 'TSTypeAliasDeclaration' || declaration?.type === 'TSInterfaceDeclaration'
      return isType ? declaration.id.name : []
    }),
  )
  for (const node of body) {
    if (node.type === 'ImportDeclaration') for (const { local } of node.specifiers) known.add(local.name)
    const { declaration } = node.type === 'ExportNamedDeclaration' ? node : { declaration: undefined }
    if (file.endsWith('.d.ts') && declaration?.type === 'VariableDeclaration') {
      // If a schema and a type have the same name, the type is published.
      const [{ id } = {}] = declaration.declarations
      if (id?.type !== 'Identifier' || !types.has(id.name)) continue
      parts.push(text.slice(end, node.start), '')
      end = node.end
    }
    if (declaration?.type !== 'TSTypeAliasDeclaration' && declaration?.type !== 'TSInterfaceDeclaration')
      continue
    known.add(declaration.id.name)
    const plain = texts.get(declaration.id.name)
    const home = files.get(declaration.id.name)
    if (plain === undefined || (home !== undefined && home !== file.replace(/\.d\.ts$/, '.ts'))) continue
    parts.push(text.slice(end, node.start), plain)
    end = node.end
  }
  if (end === 0) return text
  const added = parts.filter((_, index) => index % 2 === 1).join('\n')
  const imports = [...files].flatMap(([name, from]) => {
    if (known.has(name) || types.has(name) || !new RegExp(`\\b${name}\\b`).test(added)) return []
    const path = relative(dirname(file), from)
    return `import type { ${name} } from '${path.startsWith('.') ? path : `./${path}`}'\n`
  })
  return [...imports, ...parts, text.slice(end)].join('')
}
