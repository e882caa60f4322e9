/**
 * The types that users see of schemas, written out: plain interfaces with the sentences of `.describe`, which editors
 * show, and no zod, which would cost each user's compiler more than all the rest. `npm run generate` writes them.
 */
import type * as z from 'zod'
import { faults } from '../../src/faults/index.ts'
import { everyOperation, operations } from '../../src/operations/index.ts'
import { collections } from '../../src/resources/collections.ts'
import { bundledScenarios } from '../../src/rules/bundled.ts'
import { Condition, Pattern, When } from '../../src/rules/condition.ts'
import { Quota } from '../../src/rules/quota.ts'
import { Rule, Scenario, Step } from '../../src/rules/scenario.ts'
import { ResultCheck, Turn, TurnExpectation } from '../../src/rules/script.ts'
import { ScriptedItem } from '../../src/rules/scripted-item.ts'
import {
  Faults,
  ScriptedCitation,
  ScriptedFrame,
  ScriptedReply,
  ScriptedUsage,
} from '../../src/rules/scripted-reply.ts'
import { LatencyProfile } from '../../src/sandbox/latency-profile.ts'
import { SandboxFile } from '../../src/sandbox/sandbox-file.ts'
import { Tape } from '../../src/tapes/tape.ts'

type Side = 'input' | 'output'

/** How one file writes types. */
interface Writing {
  readonly side: Side
  /** What schemas are called that have a name; those of other files are called the same. */
  readonly names: ReadonlyMap<z.ZodType, string>
}

// The parts of a schema that are looked at; zod types each kind of schema by itself.
// biome-ignore lint/suspicious/noExplicitAny: see above
const definitionOf = (schema: z.ZodType): any => schema._zod.def

/** The files, by path below the repository. */
export function schemaTypes(): Record<string, string> {
  return {
    'src/faults/fault-input.ts': faultTypes(),
    'src/rules/scenario-input.ts': scenarioTypes(),
    'src/resources/rows.ts': rowTypes(),
    'src/operations/request-bodies.ts': bodyTypes(),
    'src/tapes/tape-types.ts': tapeTypes(),
    'src/sandbox/file-types.ts': fileTypes(),
  }
}

const note = '// Written by `npm run generate` from the schemas: change those.\n'

function faultTypes(): string {
  const names = new Map(
    faults.map((fault) => [fault.params() as z.ZodType, `${pascal(fault.name)}Fault`] as const),
  )
  const writing: Writing = { side: 'input', names: new Map() }
  const demanding = faults.filter((fault) => !fault.params().safeParse({}).success)
  const interfaces = [...names].map(([params, name], place) => {
    const { name: wire, summary } = faults[place] as (typeof faults)[number]
    const body = fieldsOf(params, writing, 1)
    return `${comment(summary, 0)}export interface ${name} {\n  name: '${wire}'\n${body}}\n`
  })
  return [
    '/**\n * Faults as a scenario writes them.\n */',
    note,
    `/** A fault by its name. */\nexport type FaultName =${union(faults.map(({ name }) => `'${name}'`))}\n`,
    `/** The faults whose parameters all have defaults. */\nexport type BareFaultName = Exclude<FaultName, ${demanding.map(({ name }) => `'${name}'`).join(' | ')}>\n`,
    `/** A fault: \`'stream-cut'\`, or \`{ name: 'stream-cut', atEvent: 5 }\`. */\nexport type FaultInput =${union(['BareFaultName', ...names.values()])}\n`,
    jsonType,
    ...interfaces,
  ].join('\n')
}

const jsonType = `/** What JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [field: string]: Json }
`

function scenarioTypes(): string {
  const named: readonly [z.ZodType, string, string][] = [
    [Rule, 'RuleInput', 'When something happens, and what.'],
    [When, 'WhenInput', 'Which requests a rule is about.'],
    [Condition, 'ConditionInput', 'What a value must be: equal to this, or as the words say.'],
    [Pattern, 'PatternInput', 'A regular expression, as data.'],
    [Quota, 'QuotaInput', 'How much passes in a window of sandbox time.'],
    [
      Step,
      'StepInput',
      'What a rule does at one call; `pass` leaves the call to older rules and to the operation.',
    ],
    [ScriptedReply, 'ScriptedReplyInput', 'What a rule answers in place of the operation.'],
    [ScriptedItem, 'ScriptedItemInput', 'An item of a scripted output.'],
    [ScriptedCitation, 'ScriptedCitationInput', 'A page that a scripted text cites.'],
    [ScriptedFrame, 'ScriptedFrameInput', 'One step of a scripted stream.'],
    [ScriptedUsage, 'ScriptedUsageInput', 'The usage of a reply. What is left out is counted.'],
    [Turn, 'TurnInput', 'One request of a conversation: what it must look like, and what it gets.'],
    [TurnExpectation, 'TurnExpectationInput', 'What the request of a turn must look like.'],
    [ResultCheck, 'ResultCheckInput', 'What a function must have returned.'],
  ]
  const names = new Map<z.ZodType, string>(named.map(([schema, name]) => [schema, name]))
  names.set(Faults, 'FaultInput | FaultInput[]')
  const writing: Writing = { side: 'input', names }
  const ids = everyOperation.map(({ id }) => `'${id}'`)
  const scenarioNames = [...bundledScenarios.keys()].map((name) => `'${name}'`)
  const on = 'OperationName | OperationName[]'
  const written = [[Scenario, 'ScenarioInput', 'A named list of rules.'] as const, ...named]
    .map(([schema, name, says]) => declaration(schema, name, says, writing))
    .join('\n')
    .replace(/^( {2}on: ).*$/m, `$1${on}`)
  return [
    '/**\n * Scenarios as a person writes them: faults by their bare names, defaults left out.\n */',
    `${note}\nimport type { FaultInput, Json } from '../faults/fault-input.ts'\n`,
    `/** A scenario that comes with the double. */\nexport type BundledScenarioName =${union(scenarioNames)}\n`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a type
    '/** The path of a file with a scenario, a rule or a tape. */\nexport type ScenarioPath = `${string}.json` | `${string}.yaml` | `${string}.yml` | `${string}.tape.jsonl`\n',
    '/** Nothing where a text is known when it is compiled: then it must be one of the known names. */\nexport type Computed<Text extends string> = string extends Text ? unknown : never\n',
    `/** Operations of the specification, and of the extensions. */\nexport type KnownOperationId =${union(ids)}\n`,
    "/** An operation of your own, as `defineOperation` types its id; of a document: `'getFile' as OwnOperationId`. */\nexport type OwnOperationId = string & { readonly isOwnOperation: true }\n",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a type
    "/** What a rule is about: an operation, `*` for every request, or `POST /path` for a path that no operation describes. */\nexport type OperationName =\n  | KnownOperationId\n  | OwnOperationId\n  | '*'\n  | `${'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'} /${string}`\n",
    written,
  ].join('\n')
}

function rowTypes(): string {
  const rowName = (name: string) => `${pascal(name).replace(/ies$/, 'y').replace(/s$/, '')}Row`
  const writing: Writing = { side: 'output', names: new Map() }
  const rows = collections.map(({ name }) => `  /** Of \`db.${name}\`. */\n  ${name}: ${rowName(name)}\n`)
  return [
    '/**\n * The records of the collections.\n */',
    note,
    `/** The record of each collection, by name. */\nexport interface Rows {\n${rows.join('')}}\n`,
    ...collections.map(({ name, schema }) =>
      declaration(schema, rowName(name), `A record of \`${name}\`.`, writing),
    ),
    `/** The collections whose number of records can be set: parts come with the records that they are parts of. */\nexport type SizedCollectionName =${union(collections.filter(({ partOf }) => !partOf).map(({ name }) => `'${name}'`))}\n`,
  ].join('\n')
}

function bodyTypes(): string {
  const writing: Writing = { side: 'input', names: new Map() }
  const withBody = operations.filter(({ body }) => body)
  const nameOf = (id: string) => `${pascal(id)}Request`
  const bodies = operations.map(
    ({ id, body, summary }) => `  /** ${summary}. */\n  ${id}: ${body ? nameOf(id) : 'undefined'}\n`,
  )
  return [
    '/**\n * The bodies of requests.\n */',
    note,
    `/** Request bodies by operation id; \`undefined\` for those that take none. */\nexport interface Bodies {\n${bodies.join('')}}\n`,
    ...withBody.map(({ id, body }) =>
      declaration(body as z.ZodType, nameOf(id), `The body of \`${id}\`.`, writing),
    ),
  ].join('\n')
}

function tapeTypes(): string {
  const writing: Writing = { side: 'output', names: new Map() }
  return [
    '/**\n * Tapes as parsed data.\n */',
    `${note}\nimport type { Json } from '../faults/fault-input.ts'\n`,
    declaration(Tape, 'Tape', 'One recorded exchange, as plain data.', writing),
  ].join('\n')
}

function fileTypes(): string {
  const input: Writing = { side: 'input', names: new Map() }
  const output: Writing = { side: 'output', names: new Map() }
  return [
    '/**\n * What a sandbox is saved as, and latency profiles.\n */',
    note,
    declaration(SandboxFile, 'SandboxFile', 'A whole sandbox as data.', output),
    declaration(LatencyProfile, 'LatencyProfileInput', 'Times and lengths of answers, by model.', input),
  ].join('\n')
}

function declaration(schema: z.ZodType, name: string, says: string, writing: Writing): string {
  const others = new Map(writing.names)
  others.delete(schema)
  const bare = unwrapped(schema)
  const inner = { ...writing, names: others }
  const own = comment(bare.description ?? says, 0)
  return definitionOf(bare).type === 'object'
    ? `${own}export interface ${name} {\n${fieldsOf(bare, inner, 1)}}\n`
    : `${own}export type ${name} =${typeOf(bare, inner, 0).replace(/^(?! ?\n)/, ' ')}\n`
}

/** The fields of an object, a line each. */
function fieldsOf(schema: z.ZodType, writing: Writing, depth: number): string {
  const { shape, catchall } = definitionOf(schema)
  const margin = '  '.repeat(depth)
  const fields = Object.entries<z.ZodType>(shape).map(([name, field]) => {
    const optional = isOptional(field, writing.side) ? '?' : ''
    const type = typeOf(field, writing, depth)
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${comment(descriptionOf(field), depth)}${margin}${key}${optional}: ${type}\n`
  })
  const isLoose = catchall && definitionOf(catchall).type !== 'never'
  return fields.join('') + (isLoose ? `${margin}[field: string]: unknown\n` : '')
}

function isOptional(schema: z.ZodType, side: Side): boolean {
  const { type, innerType } = definitionOf(schema)
  if (type === 'optional') return true
  if (type === 'default' || type === 'prefault') return side === 'input'
  return (type === 'nullable' || type === 'readonly') && isOptional(innerType, side)
}

function descriptionOf(schema: z.ZodType): string | undefined {
  if (schema.description !== undefined) return schema.description
  const { type, innerType } = definitionOf(schema)
  return ['optional', 'default', 'prefault', 'nullable'].includes(type) ? descriptionOf(innerType) : undefined
}

function typeOf(schema: z.ZodType, writing: Writing, depth: number): string {
  const name = nameOf(schema, writing)
  if (name !== undefined) return name
  const definition = definitionOf(schema)
  const inner = (other: z.ZodType) => typeOf(other, writing, depth)
  switch (definition.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
    case 'null':
      return definition.type
    case 'any':
    case 'custom':
      return 'unknown'
    case 'int':
      return 'number'
    case 'lazy':
      return isJson(definition.getter()) ? 'Json' : inner(definition.getter())
    case 'optional':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return inner(definition.innerType)
    case 'nullable':
      return `${inner(definition.innerType)} | null`
    case 'pipe':
      return inner(writing.side === 'input' ? definition.in : definition.out)
    case 'literal':
      return definition.values.map(literal).join(' | ')
    case 'enum':
      return Object.values(definition.entries).map(literal).join(' | ')
    case 'array': {
      const element = inner(definition.element)
      return / [|&] /.test(element) || element.startsWith('\n') ? `Array<${element.trim()}>` : `${element}[]`
    }
    case 'tuple':
      return `[${definition.items.map(inner).join(', ')}]`
    case 'record':
      return `Record<string, ${inner(definition.valueType)}>`
    case 'union':
      return [...new Set<string>(definition.options.map(inner))].join(' | ')
    case 'intersection':
      return `${inner(definition.left)} & ${inner(definition.right)}`
    case 'object':
      return `{\n${fieldsOf(schema, writing, depth + 1)}${'  '.repeat(depth)}}`
    default:
      throw new Error(`Nobody has said how a schema of kind '${definition.type}' is written`)
  }
}

/** Also of a schema that only has another description. */
function nameOf(schema: z.ZodType | undefined, writing: Writing): string | undefined {
  if (schema === undefined) return undefined
  return writing.names.get(schema) ?? nameOf(schema._zod.parent as z.ZodType | undefined, writing)
}

/** A schema of `z.json()`. */
function isJson(schema: z.ZodType): boolean {
  const { type, options } = definitionOf(schema)
  const kinds = ['string', 'number', 'boolean', 'null', 'array', 'record']
  return (
    type === 'union' && options.map((option: z.ZodType) => definitionOf(option).type).join() === kinds.join()
  )
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const { type, getter, innerType } = definitionOf(schema)
  if (type === 'lazy') return unwrapped(getter())
  return type === 'readonly' ? unwrapped(innerType) : schema
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

function union(names: readonly string[]): string {
  return `\n${names.map((name) => `  | ${name}`).join('\n')}`
}

function comment(text: string | undefined, depth: number): string {
  return text === undefined ? '' : `${'  '.repeat(depth)}/** ${text.replaceAll('*/', '*\\/')} */\n`
}

function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
