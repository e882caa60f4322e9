/**
 * Finds drift: differences between Understudy, a document and observed replies, each with the side that is wrong. A
 * baseline accepts known findings until a given date.
 */
import * as z from 'zod'
import { compileGlob } from '../../lib/glob.ts'
import { compareDocuments, type DescribedOperations, type OperationDifference } from './documents.ts'
import { compareObserved, type MockDescription, type Observed, observe } from './observe.ts'
import type { Recording } from './recording.ts'
import type { Difference, Severity, Shape } from './shapes.ts'

/** The side that is wrong: Understudy, the vendor's document, or the vendor's API. */
export type Verdict = 'ours-is-wrong' | 'undocumented' | 'not-shipped'

export interface Finding extends OperationDifference {
  readonly verdict: Verdict
  readonly source: 'document' | ObservedSource
}

export type ObservedSource = 'recordings' | 'live'

export interface DriftSetup {
  readonly mock: MockDescription
  /** The vendor's document. Default: none. */
  readonly document?: DescribedOperations | undefined
  readonly observed: ReadonlyMap<ObservedSource, ReadonlyMap<string, Recording>>
}

export interface Drift {
  readonly findings: readonly Finding[]
  /** Parts that could not be checked, with reasons. */
  readonly unchecked: readonly string[]
  /** Number of operations in the document, and number of replies by source. */
  readonly checked: Readonly<Record<string, number>>
}

const severities: readonly Severity[] = ['breaking', 'additive', 'info']
const checkedNames: Record<ObservedSource, string> = { recordings: 'recorded replies', live: 'live replies' }

export function findDrift({ mock, document, observed }: DriftSetup): Drift {
  const findings = new Map<string, Finding>()
  const add = (
    difference: OperationDifference,
    source: Finding['source'],
    verdict: Verdict,
    severity = difference.severity,
  ) => {
    const name = nameOf(difference)
    if (!findings.has(name)) findings.set(name, { ...difference, source, verdict, severity })
  }
  const unchecked: string[] = []
  const checked: Record<string, number> = {}
  const documented = document ? [...compareDocuments(mock.operations, document)] : []
  const documentedNames = new Set(documented.map(nameOf))
  if (document) checked['document operations'] = document.size

  const seen: Observed['bodies'][] = []
  for (const [source, recordings] of observed) {
    const shown = observe(recordings.values(), mock.operations)
    seen.push(shown.bodies)
    checked[checkedNames[source]] = shown.replies
    if (shown.replies === 0) unchecked.push(`${source}: no complete reply to a known operation`)
    for (const difference of compareObserved(mock.operations, shown, mock.streams)) {
      // If the document agrees with Understudy, the vendor's behaviour is undocumented.
      const isKnown = !document || documentedNames.has(nameOf(difference)) || !isDescribed(difference)
      add(difference, source, isKnown ? 'ours-is-wrong' : 'undocumented')
    }
    if (document)
      for (const difference of compareObserved(document, shown))
        add(difference, source, 'undocumented', 'info')
  }
  for (const difference of documented) {
    if (isNotShipped(difference, seen)) add(difference, 'document', 'not-shipped', 'info')
    else add(difference, 'document', 'ours-is-wrong')
  }
  const sorted = [...findings.values()].sort(
    (left, right) =>
      severities.indexOf(left.severity) - severities.indexOf(right.severity) ||
      nameOf(left).localeCompare(nameOf(right)),
  )
  return { findings: sorted, unchecked, checked }
}

/** Identifies a finding in reports and baselines. */
export function nameOf({
  operation,
  part,
  path,
  kind,
}: Pick<OperationDifference, 'operation' | 'part' | 'path' | 'kind'>): string {
  return [operation, part, path, kind].filter((word) => word !== '').join(' ')
}

/** Names a finding by its place in the document's schemas, if it has one. */
export function titleOf(finding: OperationDifference): string {
  return finding.schema === undefined ? nameOf(finding) : `${finding.schema} ${finding.kind}`
}

/** Returns true if documents can describe this part. They cannot describe individual events. */
function isDescribed({ part }: Difference): boolean {
  return part.startsWith('reply')
}

/** Returns true if a documented field is missing from all observed objects that should have it. */
function isNotShipped(
  { operation, part, path, kind }: OperationDifference,
  seen: readonly Observed['bodies'][],
): boolean {
  if (kind !== 'field-added') return false
  // Parts other than `reply <status>` give NaN, which matches no reply.
  const status = Number(part.replace('reply ', ''))
  const steps = path.split('.').slice(0, -1)
  const name = path.replace(/^.*\./, '')
  const objects = seen.flatMap((bodies) =>
    [...bodies].flatMap(([{ id }, statuses]) => {
      const shape = id === operation ? statuses.get(status) : undefined
      return shape ? shapesAt(shape, steps).flatMap((each) => [...each.objects.values()]) : []
    }),
  )
  return objects.length > 0 && objects.every(({ fields }) => !fields.has(name))
}

function shapesAt(shape: Shape, [step, ...rest]: readonly string[]): Shape[] {
  if (step === undefined) return [shape]
  const [name = '', bracket] = step.split('[')
  return [...shape.objects.values()].flatMap(({ fields }) => {
    const field = fields.get(name)?.shape
    const inner = bracket === undefined ? field : field?.items
    return inner ? shapesAt(inner, rest) : []
  })
}

/** Accepted findings, each with a reason and an expiry date. */
export const Baseline = z.lazy(() =>
  z.strictObject({
    accept: z.array(
      z.strictObject({
        finding: z.string().nonempty().describe('Name of a finding in the report. * matches any characters.'),
        reason: z.string().nonempty(),
        expires: z.iso.date().describe('Last day on which the finding is accepted, such as 2026-12-31.'),
      }),
    ),
  }),
)
export type Baseline = z.infer<typeof Baseline>

export interface Accepted {
  /** Findings that are not accepted. */
  readonly findings: readonly Finding[]
  /** Number of accepted findings. */
  readonly accepted: number
  /** Notes on entries that have expired or did not match a finding. */
  readonly notes: readonly string[]
}

/**
 * Separates accepted findings from all others.
 *
 * @param today Current date, such as `2026-01-31`.
 */
export function accept(findings: readonly Finding[], baseline: Baseline, today: string): Accepted {
  const entries = baseline.accept.map((entry) => ({ ...entry, matches: compileGlob(entry.finding), used: 0 }))
  const left = findings.filter((finding) => {
    const names = [nameOf(finding).toLowerCase(), titleOf(finding).toLowerCase()]
    const entry = entries.find(({ matches, expires }) => expires >= today && names.some(matches))
    if (entry) entry.used++
    return !entry
  })
  const notes = entries.flatMap(({ finding, expires, used }) => {
    if (expires < today) return [`'${finding}' was accepted until ${expires}`]
    return used === 0 ? [`'${finding}' is accepted, but was not found`] : []
  })
  return { findings: left, accepted: findings.length - left.length, notes }
}
