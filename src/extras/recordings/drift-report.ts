/** Formats drift reports as text, Markdown or SARIF 2.1.0. Findings with the same cause are grouped. */
import type { KnownDifferences } from '../../gateway/extra.ts'
import { type Accepted, type Drift, type Finding, nameOf, titleOf, type Verdict } from './drift.ts'
import type { Severity } from './shapes.ts'

const verdictTexts: Record<Verdict, string> = {
  'ours-is-wrong': 'Understudy is wrong',
  undocumented: 'not documented by the vendor',
  'not-shipped': 'documented but not shipped',
}

export interface DriftReport extends Omit<Accepted, 'findings'>, Pick<Drift, 'unchecked' | 'checked'> {
  readonly findings: readonly FindingGroup[]
  /** Known differences that were found, by reason. Default: none. */
  readonly explained?: readonly KnownDifferences[]
}

/** Findings with the same cause, such as a field of a schema that several operations use. */
export interface FindingGroup extends Finding {
  readonly name: string
  /** Names of the grouped findings. */
  readonly places: readonly string[]
}

/** Groups findings with the same cause: a change in a shared schema, or the same change in several operations. */
export function grouped(findings: readonly Finding[]): FindingGroup[] {
  const bySchema = groupBy(findings, (finding) =>
    finding.schema === undefined
      ? placeOf(finding)
      : [finding.schema, finding.kind, finding.severity, finding.message, finding.source, finding.verdict],
  )
  return groupBy(bySchema, ([finding]) => placeOf(finding)).map((groups) => {
    const group = groups.flat() as unknown as readonly [Finding, ...Finding[]]
    return { ...group[0], name: nameOfGroup(group, groups.length > 1), places: group.map(nameOf) }
  })
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => unknown[]): [Item, ...Item[]][] {
  const groups = new Map<string, [Item, ...Item[]]>()
  for (const item of items) {
    const key = JSON.stringify(keyOf(item))
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return [...groups.values()]
}

/** Returns the values that identify a finding regardless of its operation. */
function placeOf({ part, path, kind, severity, message, source, verdict }: Finding): unknown[] {
  return kind === 'operation-added'
    ? [kind, source, groupOf(message)]
    : [part, path, kind, severity, message, source, verdict]
}

/** Returns the first path segment in a message: `files` for `GET /files/{} is documented`. */
function groupOf(message: string): string {
  return message.replace(/^\S+ \/([^/ ]*).*/, '$1')
}

function nameOfGroup(
  [finding, ...others]: readonly [Finding, ...Finding[]],
  isAcrossSchemas: boolean,
): string {
  if (others.length === 0) return nameOf(finding)
  if (finding.kind === 'operation-added') return nameOf({ ...finding, operation: groupOf(finding.message) })
  const isInSchema = finding.schema !== undefined && !isAcrossSchemas
  return isInSchema ? titleOf(finding) : nameOf({ ...finding, operation: '*' })
}

function messageOf({ kind, message, places: [place, ...others] }: FindingGroup): string {
  if (others.length === 0) return message
  if (kind === 'operation-added')
    return message.replace(
      ' is ',
      ` and ${others.length} other ${others.length === 1 ? 'operation' : 'operations'} are `,
    )
  return `${message}, in ${place?.replace(/ \S+$/, '')} and ${others.length} other ${others.length === 1 ? 'place' : 'places'}`
}

export function countsOf(findings: readonly Finding[]): Record<Severity, number> {
  const count = (severity: Severity) => findings.filter((finding) => finding.severity === severity).length
  return { breaking: count('breaking'), additive: count('additive'), info: count('info') }
}

export function toText(report: DriftReport): string {
  const rows = report.findings.map((finding) => {
    const { severity, source, verdict } = finding
    return `${severity.padEnd(8)}  ${finding.name}: ${messageOf(finding)} (${source}; ${verdictTexts[verdict]})`
  })
  return [...rows, ...remarks(report), toSummary(report)].join('\n')
}

export function toMarkdown(report: DriftReport): string {
  const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  const rows = report.findings.map((finding) => {
    const { severity, source, verdict } = finding
    return `| ${severity} | \`${finding.name}\` | ${cell(messageOf(finding))} | ${source} | ${verdictTexts[verdict]} |`
  })
  const head = ['| Severity | Finding | Difference | Source | Verdict |', '| --- | --- | --- | --- | --- |']
  return [
    '## Drift',
    '',
    toSummary(report),
    '',
    ...(rows.length > 0 ? [...head, ...rows, ''] : []),
    ...remarks(report).map((line) => `- ${line}`),
  ].join('\n')
}

const levels: Record<Severity, string> = { breaking: 'error', additive: 'warning', info: 'note' }

/** @param file File that viewers show with the findings. */
export function toSarif(report: DriftReport, version: string, file: string): object {
  const idOf = (kind: string) => kind.replaceAll(' ', '-')
  const kinds = [...new Set(report.findings.map(({ kind }) => kind))]
  const driver = {
    name: 'gateway-understudy drift',
    version,
    rules: kinds.map((kind) => ({ id: idOf(kind), shortDescription: { text: kind } })),
  }
  const invocation = {
    executionSuccessful: report.unchecked.length === 0,
    toolExecutionNotifications: report.unchecked.map((text) => ({ level: 'error', message: { text } })),
  }
  const results = report.findings.map((finding) => ({
    ruleId: idOf(finding.kind),
    level: levels[finding.severity],
    message: { text: `${finding.name}: ${messageOf(finding)} (${verdictTexts[finding.verdict]})` },
    locations: [{ physicalLocation: { artifactLocation: { uri: file }, region: { startLine: 1 } } }],
    partialFingerprints: { finding: finding.name },
  }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, invocations: [invocation], results }],
  }
}

function remarks({ unchecked, notes, explained = [] }: DriftReport): string[] {
  return [
    ...explained.map(({ reason, findings }) => `explained (${findings.length}): ${reason}`),
    ...unchecked.map((text) => `could not check: ${text}`),
    ...notes.map((text) => `baseline: ${text}`),
  ]
}

export function toSummary({ findings, explained = [], accepted, checked, unchecked }: DriftReport): string {
  const { breaking, additive, info } = countsOf(findings)
  const compared = Object.entries(checked).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []))
  const result =
    findings.length === 0 ? 'No drift' : `${breaking} breaking, ${additive} additive, ${info} info`
  return [
    compared.length === 0 ? 'Nothing was checked' : `${result} in ${compared.join(', ')}`,
    ...(explained.length > 0 ? [`${explained.flatMap((each) => each.findings).length} explained`] : []),
    ...(accepted > 0 ? [`${accepted} accepted`] : []),
    ...(unchecked.length > 0 ? [`${unchecked.length} not checked`] : []),
  ].join('; ')
}
