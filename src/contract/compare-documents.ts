/**
 * How a vendor's document differs from that of the double.
 */
import { compareShapes } from './compare-shapes.ts'
import type { DescribedOperation } from './document.ts'
import type { Difference, Severity } from './finding.ts'

export interface OperationDifference extends Difference {
  readonly operation: string
}

export function* compareDocuments(
  ours: ReadonlyMap<string, DescribedOperation>,
  theirs: ReadonlyMap<string, DescribedOperation>,
): Generator<OperationDifference> {
  for (const [line, mine] of ours) {
    const other = theirs.get(line)
    const differences = other
      ? compareOperations(mine, other)
      : [whole('operation-removed', 'breaking', `${line} is not documented any more`)]
    for (const difference of differences) yield { operation: mine.id, ...difference }
  }
  for (const [line, other] of theirs)
    if (!ours.has(line))
      yield {
        operation: other.id,
        ...whole('operation-added', 'additive', `${line} is documented, and not played`),
      }
}

function whole(kind: string, severity: Severity, message: string): Difference {
  return { part: 'operation', path: '', kind, severity, message }
}

function* compareOperations(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  yield* compareParameters(ours, theirs)
  if (ours.body && theirs.body) {
    const setup = { part: 'request', direction: 'request', isObserved: false } as const
    yield* compareShapes(ours.body.shape, theirs.body.shape, setup)
    if (!ours.body.isRequired && theirs.body.isRequired)
      yield { ...whole('body-required', 'breaking', 'a body is required'), part: 'request' }
  } else if (ours.body)
    yield { ...whole('body-removed', 'breaking', 'no body is taken any more'), part: 'request' }
  else if (theirs.body?.isRequired)
    yield { ...whole('body-required', 'breaking', 'a body is required'), part: 'request' }
  else if (theirs.body) yield { ...whole('body-added', 'additive', 'a body is taken'), part: 'request' }
  yield* compareReplies(ours, theirs)
}

function* compareParameters(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  for (const [name, other] of theirs.parameters) {
    const mine = ours.parameters.get(name)
    const part = 'request'
    if (!mine) {
      const severity = other.isRequired ? 'breaking' : 'additive'
      yield {
        part,
        path: name,
        kind: 'parameter-added',
        severity,
        message: other.isRequired ? 'is new, and required' : 'is new',
      }
      continue
    }
    if (other.isRequired && !mine.isRequired)
      yield { part, path: name, kind: 'parameter-required', severity: 'breaking', message: 'is required' }
    if (!other.isRequired && mine.isRequired)
      yield { part, path: name, kind: 'parameter-optional', severity: 'additive', message: 'may be left out' }
    yield* compareShapes(mine.shape, other.shape, { part, direction: 'request', isObserved: false }, name)
  }
  for (const name of ours.parameters.keys())
    if (!theirs.parameters.has(name))
      yield {
        part: 'request',
        path: name,
        kind: 'parameter-removed',
        severity: 'breaking',
        message: 'is not known any more',
      }
}

function* compareReplies(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  for (const [status, mine] of ours.replies) {
    const other = theirs.replies.get(status) ?? theirs.replies.get(`${status[0]}XX`)
    const part = `reply ${status}`
    if (!other) {
      if (status === 'default') continue
      const severity = status.startsWith('2') ? 'breaking' : 'info'
      yield { ...whole('status-removed', severity, `no reply ${status} is documented`), part }
      continue
    }
    for (const [type, shape] of mine) {
      const there = other.get(type)
      if (there) {
        if (type !== 'text/event-stream')
          yield* compareShapes(shape, there, { part, direction: 'reply', isObserved: false })
      } else if (other.size > 0) {
        const severity = type === 'text/event-stream' ? 'info' : 'breaking'
        yield { ...whole('media-type-removed', severity, `${type} is not documented`), part }
      }
    }
    for (const type of other.keys())
      if (!mine.has(type)) yield { ...whole('media-type-added', 'additive', `may be ${type}`), part }
  }
  const usual = ours.replies.get('default')
  for (const [status, other] of theirs.replies) {
    if (ours.replies.has(status)) continue
    const part = `reply ${status}`
    if (status.startsWith('2') || !usual) {
      yield { ...whole('status-added', 'additive', `a reply ${status} is documented`), part }
      continue
    }
    // Every refusal of the double has the same envelope.
    const [mine, there] = [usual.get('application/json'), other.get('application/json')]
    if (mine && there) yield* compareShapes(mine, there, { part, direction: 'reply', isObserved: false })
  }
}
