/**
 * The generated parts of scenarios/README.md that are about faults: all of them, and what clients make of them.
 */
import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { conflict } from '../../src/faults/compatibility.ts'
import type { Fault } from '../../src/faults/fault.ts'
import { faults } from '../../src/faults/index.ts'
import { table } from './table.ts'

export interface Seen {
  json: string
  stream: string
}

/** As `test/clients/record-clients.ts` writes it. */
export interface Recording {
  versions: Record<string, string>
  faults: Record<string, Record<string, Seen>>
  scenarios: Record<string, Record<string, Seen>>
  parsers: Record<string, Record<string, string>>
}

export const recording: Recording = JSON.parse(
  readFileSync(new URL('../clients/what-clients-see.json', import.meta.url), 'utf8'),
)

export const faultSections: Record<string, () => string> = {
  'fault-list': () =>
    table(
      ['Fault', 'Layer', 'What the client sees', 'Parameters', 'Example', 'Not together with'],
      faults.map((fault) => [
        `\`${fault.name}\``,
        fault.layer,
        fault.summary,
        parameters(fault),
        `\`${exampleOf(fault)}\``,
        faults
          .filter((other) => other !== fault && conflict(fault, other))
          .map(({ name }) => name)
          .join(', '),
      ]),
    ),
  'client-versions': () =>
    Object.entries(recording.versions)
      .map(([name, version]) => `\`${name}\` ${version}`)
      .join(', '),
  'clients-json': () => clientTable('json'),
  'clients-stream': () => clientTable('stream'),
  parsers() {
    const names = Object.keys(recording.parsers)
    const steps = Object.keys(Object.values(recording.parsers)[0] ?? {})
    return table(
      ['Stream', ...names.map((name) => `\`${name}\``)],
      steps.map((step) => [`\`${step}\``, ...names.map((name) => recording.parsers[name]?.[step] ?? '')]),
    )
  },
}

interface Property {
  description?: string
  default?: unknown
  type?: string
  enum?: unknown[]
  anyOf?: { const?: unknown }[]
}

function parameters(fault: Fault): string {
  const entries = Object.entries(schemaOf(fault).properties ?? {})
  return entries
    .map(([name, property]) => {
      const words =
        property.enum ?? property.anyOf?.flatMap(({ const: word }) => (word === undefined ? [] : [word]))
      const given = [
        words?.length ? `one of ${words.join(', ')}` : '',
        property.default === undefined ? '' : `default ${JSON.stringify(property.default)}`,
        schemaOf(fault).required?.includes(name) ? 'required' : '',
      ].filter((text) => text !== '')
      const notes = given.length > 0 ? ` (${given.join('; ')})` : ''
      return `\`${name}\`${notes}${property.description ? `: ${property.description}` : ''}`
    })
    .join('<br>')
}

/** One that can be pasted: the bare name, or the name with a parameter. */
function exampleOf(fault: Fault): string {
  const { properties = {}, required = [] } = schemaOf(fault)
  const own: Record<string, unknown> = {
    'missing-field': { path: 'data.*.slug' },
    'wrong-type': { path: 'output' },
  }
  const [first] = Object.entries(properties).filter(([, property]) => typeof property.default === 'number')
  const parameter = own[fault.name] ?? (first && { [first[0]]: first[1].default })
  const positioned = 'afterDeltas' in properties && !first ? { afterDeltas: 5 } : undefined
  const shown = parameter ?? positioned
  if (required.length === 0 && !shown) return `"fault": "${fault.name}"`
  return `"fault": ${JSON.stringify({ name: fault.name, ...(shown as object) })
    .replaceAll('":', '": ')
    .replaceAll(',"', ', "')}`
}

function schemaOf(fault: Fault): { properties?: Record<string, Property>; required?: string[] } {
  return z.toJSONSchema(fault.params(), { io: 'input' }) as ReturnType<typeof schemaOf>
}

/** Faults first, then scenarios; without the rows in which no client has anything to see. */
function clientTable(form: 'json' | 'stream'): string {
  const names = Object.keys(Object.values(recording.faults)[0] ?? {})
  const rows = [...Object.entries(recording.faults), ...Object.entries(recording.scenarios).map(scenarioRow)]
  return table(
    ['Fault or scenario', ...names.map((name) => `\`${name}\``)],
    rows
      .filter(([, row]) => names.some((name) => row[name]?.[form]))
      .map(([subject, row]) => [
        subject.startsWith('scenario') ? subject : `\`${subject}\``,
        ...names.map((name) => row[name]?.[form] ?? ''),
      ]),
  )
}

function scenarioRow([name, row]: [string, Record<string, Seen>]): [string, Record<string, Seen>] {
  return [`scenario \`${name}\``, row]
}
