/** Generates parts of docs/faults.md and docs/clients.md: every fault, and its effect on published clients. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { repeatable, rules, type Selection } from '../../src/faults/compatibility.ts'
import { type FaultDefinition, type Layer, layers } from '../../src/faults/fault.ts'
import { faults } from '../../src/faults/index.ts'
import { position } from '../../src/faults/position.ts'
import { table } from './table.ts'

export interface Seen {
  json: string
  stream: string
}

/** Output of `test/clients/record-clients.ts`. */
export interface Recording {
  versions: Record<string, string>
  faults: Record<string, Record<string, Seen>>
  scenarios: Record<string, Record<string, Seen>>
  parsers: Record<string, Record<string, string>>
}

export const recording: Recording = JSON.parse(
  readFileSync(new URL('../clients/client-outcomes.json', import.meta.url), 'utf8'),
)

export const faultSections: Record<string, () => string> = {
  'fault-groups': () =>
    table(
      ['Faults', 'Act on', 'In one rule'],
      layerNames.map((layer) => [`[${title(layer)}](#${nameOf(layer)})`, layers[layer], inOneRule(layer)]),
    ),
  'fault-exceptions': () =>
    [
      `A rule can contain the same fault more than once in the ${selection(repeatable)}. In other groups, repetitions would have no effect.`,
      ...rules.filter((rule) => !isLayerRule(rule)).map(sentence),
    ]
      .map((text) => `- ${text}`)
      .join('\n'),
  'fault-positions': () =>
    Object.entries(positions)
      .map(([name, property]) => `- \`${name}\`: ${property.description}`)
      .join('\n'),
  'fault-list': () =>
    layerNames
      .map((layer) => {
        const rows = faults
          .filter((fault) => fault.layer === layer)
          .map((fault) => [`\`${fault.name}\``, fault.summary, parameters(fault)])
        return `### ${title(layer)}\n\n${table(['Fault', 'What the client sees', 'Parameters'], rows)}`
      })
      .join('\n\n'),
  'client-versions': () =>
    Object.entries(recording.versions)
      .map(([name, version]) => `\`${name}\` ${version}`)
      .join(', '),
  'clients-json': () => clientTable('json'),
  'clients-stream': () => clientTable('stream'),
  parsers() {
    const names = Object.keys(recording.parsers)
    const faultNames = Object.keys(Object.values(recording.parsers)[0] ?? {})
    return effectTable(
      'Fault',
      names,
      faultNames.map((fault) => [
        `\`${fault}\``,
        names.map((name) => recording.parsers[name]?.[fault] ?? ''),
      ]),
    )
  },
}

/** Returns the name of a group of faults in the documents. */
function nameOf(layer: Layer): string {
  return layer === 'form' ? 'format' : layer
}

function title(layer: Layer): string {
  const name = nameOf(layer)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

interface Property {
  description?: string
  type?: string
  enum?: unknown[]
  anyOf?: { const?: unknown }[]
}

const layerNames = Object.keys(layers) as Layer[]
const isLayer = (name: string): name is Layer => name in layers
const positions = propertiesOf(z.strictObject(position()))

/** Returns true for a rule about a whole layer. The table of layers already shows such rules. */
function isLayerRule(rule: (typeof rules)[number]): boolean {
  const [first, second] = 'oneOf' in rule ? rule.oneOf : rule.faults
  return first !== undefined && isLayer(first) && second === undefined
}

function inOneRule(layer: Layer): string {
  const notes = rules.flatMap((rule) => {
    if ('oneOf' in rule) return rule.oneOf.includes(layer) ? ['at most one'] : []
    return rule.faults.includes(layer) ? [`not with the ${selection(rule.forNone)}`] : []
  })
  return notes.join('; ') || 'any number'
}

function sentence(rule: (typeof rules)[number]): string {
  if ('oneOf' in rule)
    return `A rule can contain only one of ${selection(rule.oneOf, 'the faults in the ')}, because each determines ${rule.decides}.`
  const others = layerNames.filter((layer) => !rule.forNone.includes(layer))
  const [verb, subject] = rule.faults.length > 1 ? ['leave', 'they'] : ['leaves', 'it']
  const reason = `${selection(rule.faults)} ${verb} ${rule.leaves}`
  return rule.forNone.length > others.length && rule.forNone.every(isLayer)
    ? `${reason}, so ${subject} can be combined only with faults in the ${selection(others)}.`
    : `${reason}, so ${subject} cannot be combined with ${selection(rule.forNone, 'the ')}.`
}

/** Formats a selection, such as "events and text groups, `slow-body`". */
function selection(all: Selection, article = ''): string {
  const [inLayers, names] = [all.filter(isLayer), all.filter((name) => !isLayer(name))]
  const named = names.map((name) => `\`${name}\``)
  if (inLayers.length === 0) return listed(named)
  return listed([
    `${article}${listed(inLayers.map(nameOf))} group${inLayers.length > 1 ? 's' : ''}`,
    ...named,
  ])
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function parameters(fault: FaultDefinition): string {
  const schema = fault.params()
  const { properties = {}, required = [] } = schemaOf(schema)
  const own = Object.entries(properties).filter(([name]) => !isPosition(name, properties))
  const places = Object.keys(properties).filter((name) => isPosition(name, properties))
  const notes = own.map(([name, property]) => {
    const words =
      property.enum ?? property.anyOf?.flatMap(({ const: word }) => (word === undefined ? [] : [word]))
    // JSON Schema omits the defaults of values that are converted, such as durations.
    const standard: unknown = Reflect.get(Object(schema.shape[name]?._zod.def), 'defaultValue')
    const given = [
      words?.length ? `one of ${words.join(', ')}` : '',
      standard === undefined ? '' : `default ${JSON.stringify(standard)}`,
      required.includes(name) ? 'required' : '',
    ].filter((text) => text !== '')
    const note = given.length > 0 ? ` (${given.join('; ')})` : ''
    return `\`${name}\`${note}${property.description ? `: ${property.description}` : ''}`
  })
  if (places.length > 0) notes.push(places.map((name) => `\`${name}\``).join(', '))
  return notes.join('<br>')
}

/**
 * Returns true for position parameters, which have the same description in every fault. The `afterBytes` of
 * `truncated-body` is a different parameter.
 */
function isPosition(name: string, properties: Record<string, Property>): boolean {
  return name in positions && properties[name]?.description === positions[name]?.description
}

function propertiesOf(schema: z.ZodObject): Record<string, Property> {
  return schemaOf(schema).properties ?? {}
}

function schemaOf(schema: z.ZodObject): { properties?: Record<string, Property>; required?: string[] } {
  return z.toJSONSchema(schema, { io: 'input' }) as ReturnType<typeof schemaOf>
}

/** Shortens an outcome: `throws TypeError after 3 deltas`, `silent after 3 deltas`, `hangs after 3 deltas`. */
function short(outcome: string): string {
  if (outcome === 'unchanged') return ''
  const text = outcome
    .replace('no error', 'silent')
    .replace(/(?:,| after) (\d+) of \d+ deltas$/, ' after $1 deltas')
  return /^(?!Status)[A-Z]/.test(text) ? `throws ${text}` : text.replace('Status', 'status')
}

/** Lists faults, then scenarios. Omits rows without a visible effect, and merges equal rows. */
function clientTable(form: 'json' | 'stream'): string {
  const outcomes = Object.values(recording.faults)
  const clients = Object.keys(outcomes[0] ?? {})
  const names = clients.filter((name) => outcomes.some((row) => row[name]?.[form] !== ''))
  const rows = [
    ...Object.entries(recording.faults).map(([name, row]) => [`\`${name}\``, row] as const),
    // `chaos` has a different effect on each request.
    ...Object.entries(recording.scenarios)
      .filter(([name]) => name !== 'chaos')
      .map(([name, row]) => [`scenario \`${name}\``, row] as const),
  ]
  return effectTable(
    'Fault or scenario',
    names,
    rows.map(([subject, row]) => [subject, names.map((name) => row[name]?.[form] ?? '')]),
  )
}

function effectTable(head: string, names: string[], rows: (readonly [string, string[]])[]): string {
  const subjects = new Map<string, string[]>()
  for (const [subject, outcomes] of rows) {
    const cells = JSON.stringify(outcomes.map(short))
    subjects.set(cells, [...(subjects.get(cells) ?? []), subject])
  }
  return table(
    [head, ...names.map((name) => `\`${name}\``)],
    [...subjects]
      .map(([cells, same]) => [same.join(', '), ...JSON.parse(cells)])
      .filter(([, ...cells]) => cells.some((cell) => cell !== '')),
  )
}
