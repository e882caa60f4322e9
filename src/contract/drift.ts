/**
 * Whether double, document and the real gateway still agree: every difference once, and whose word is wrong.
 */
import type { Tape } from '../tapes/tape.ts'
import { compareDocuments, type OperationDifference } from './compare-documents.ts'
import type { DescribedOperation } from './document.ts'
import type { Double } from './double.ts'
import { type Finding, nameOf, type Severity, type Verdict } from './finding.ts'
import { compareObserved, type Observed, observe } from './observe.ts'
import type { Shape } from './shape.ts'

export interface DriftSetup {
  readonly double: Double
  /** The vendor's document. Default: none was given. */
  readonly document?: ReadonlyMap<string, DescribedOperation> | undefined
  /** What was observed, by where it comes from: `tapes`, `live`. */
  readonly observed: ReadonlyMap<string, ReadonlyMap<string, Tape>>
}

export interface Drift {
  readonly findings: readonly Finding[]
  /** What could not be checked, and why. */
  readonly unchecked: readonly string[]
  /** What was looked at: operations of the document, replies of each source. */
  readonly checked: Readonly<Record<string, number>>
}

const order: Record<Severity, number> = { breaking: 0, additive: 1, info: 2 }

export function findDrift({ double, document, observed }: DriftSetup): Drift {
  const findings = new Map<string, Finding>()
  const add = (
    difference: OperationDifference,
    source: string,
    verdict: Verdict,
    severity = difference.severity,
  ) => {
    const name = nameOf(difference)
    if (!findings.has(name)) findings.set(name, { ...difference, source, verdict, severity })
  }
  const unchecked: string[] = []
  const checked: Record<string, number> = {}
  const documented = document ? [...compareDocuments(double.operations, document)] : []
  const documentedNames = new Set(documented.map(nameOf))
  if (document) checked['document operations'] = document.size

  const seen: Observed['bodies'][] = []
  for (const [source, tapes] of observed) {
    const told = observe(tapes, double.operations)
    seen.push(told.bodies)
    checked[`${source} replies`] = told.replies
    if (told.replies === 0)
      unchecked.push(`${source}: there is no reply of an operation that the double plays`)
    for (const difference of compareObserved(double.operations, told, double.streams)) {
      // Where the document sides with the double, the vendor does what it does not document.
      const isKnown = !document || documentedNames.has(nameOf(difference)) || !isDescribed(difference)
      add(difference, source, isKnown ? 'ours-is-wrong' : 'undocumented')
    }
    if (document)
      for (const difference of compareObserved(document, told))
        add(difference, source, 'undocumented', 'info')
  }
  for (const difference of documented) {
    if (isNotShipped(difference, seen)) add(difference, 'document', 'not-shipped', 'info')
    else add(difference, 'document', 'ours-is-wrong')
  }
  const sorted = [...findings.values()].sort(
    (left, right) =>
      order[left.severity] - order[right.severity] || nameOf(left).localeCompare(nameOf(right)),
  )
  return { findings: sorted, unchecked, checked }
}

/** A document says nothing of single events, and little of headers. */
function isDescribed({ part }: OperationDifference): boolean {
  return part.startsWith('reply')
}

/** A field that is documented and new, where the object that should have it was seen without it. */
function isNotShipped(
  { operation, part, path, kind }: OperationDifference,
  seen: readonly Observed['bodies'][],
): boolean {
  if (kind !== 'field-added' || !part.startsWith('reply ')) return false
  const status = Number(part.slice('reply '.length))
  const cut = path.lastIndexOf('.')
  const [parent, name] = cut < 0 ? ['', path] : [path.slice(0, cut), path.slice(cut + 1)]
  const objects = seen.flatMap((bodies) =>
    [...bodies].flatMap(([described, statuses]) => {
      const shape = described.id === operation ? statuses.get(status) : undefined
      return shape ? objectsAt(shape, parent) : []
    }),
  )
  return objects.length > 0 && objects.every((fields) => !fields.has(name))
}

/** The fields of the objects that stand at a path. */
function objectsAt(shape: Shape, path: string): ReadonlyMap<string, unknown>[] {
  const found = path === '' ? [shape] : shapesAt(shape, path.split('.'))
  return found.flatMap(({ objects }) => [...objects.values()].map(({ fields }) => fields))
}

function shapesAt(shape: Shape, [step, ...rest]: readonly string[]): Shape[] {
  if (step === undefined) return [shape]
  const [, name = '', brackets = ''] = /^([^[]*)(.*)$/.exec(step) ?? []
  return [...shape.objects.values()].flatMap(({ fields }) => {
    const field = fields.get(name)?.shape
    const inner = brackets.startsWith('[') ? field?.items : field
    return inner ? shapesAt(inner, rest) : []
  })
}
