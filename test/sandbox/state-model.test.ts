/**
 * Compares sandboxes with a model: a seeded sample of cases here, all cases with `npm run test:all`. Requests, row
 * changes, forks, snapshots, restores, resets and disposals run in any order, and row changes can overlap at any
 * `await`.
 *
 * The model is a list of row lists, one per write in the order in which writes started. Every read must return a row
 * list between that of the last write completed before the read and that of the last write started before the read
 * ends.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGateway, type Sandbox } from '../../src/index.ts'
import type { Workspace } from '../../src/resources/workspace.ts'
import { call } from '../call.ts'
import { cases, isFullRun } from '../suite-size.ts'

type Row = Pick<Workspace, 'id' | 'slug' | 'name'>

const ids = ['1', '2', '3', '4'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`)
const slugs = ['one', 'two', 'three', 'four']
const seed: Row[] = [
  { id: ids[0] as string, slug: 'one', name: 'One' },
  { id: ids[1] as string, slug: 'two', name: 'Two' },
]

const step = fc.record({
  kind: fc.constantFrom(
    ...(['patch', 'patch', 'update', 'update', 'create', 'delete', 'list'] as const),
    ...(['snapshot', 'restore', 'fork', 'reset', 'dispose'] as const),
  ),
  key: fc.constantFrom(...ids, ...slugs),
  changes: fc.record({ slug: fc.constantFrom(...slugs) }, { requiredKeys: [] }),
  created: fc.record({ id: fc.constantFrom(...ids), slug: fc.constantFrom(...slugs) }),
  which: fc.nat({ max: 3 }),
  on: fc.nat({ max: 3 }),
  /** Microtask turns before the next step. */
  turns: fc.nat({ max: 14 }),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
const plans = fc.array(step, { minLength: 1, maxLength: 25, size: 'max' })

/** A sandbox with its expected state. */
class Subject {
  readonly sandbox: Sandbox
  /** Rows after each write, in the order in which the writes started. */
  history: Row[][] = []
  /** Number of writes known to be complete. */
  done = 0
  /** Number of requests received, each of which advances the clock. */
  steps = 0
  /** Number of journal entries. */
  entries = 0

  constructor(sandbox: Sandbox, rows: Row[], steps = 0) {
    this.sandbox = sandbox
    this.restart(rows, steps)
  }

  restart(rows: Row[], steps = 0, entries = 0): void {
    Object.assign(this, { history: [rows], done: 0, steps, entries })
  }

  get rows(): Row[] {
    return this.history.at(-1) as Row[]
  }

  /** Starts a write, and expects its status: 200, or the number that `write` returns instead of new rows. */
  async write(write: (rows: Row[]) => Row[] | number, status: () => Promise<number>): Promise<void> {
    const { history } = this
    const result = write(this.rows)
    const place = history.push(typeof result === 'number' ? this.rows : result) - 1
    expect(await status()).toBe(typeof result === 'number' ? result : 200)
    if (history === this.history) this.done = Math.max(this.done, place)
  }

  async read(): Promise<Row[]> {
    return (await this.sandbox.db.workspaces.list()).map(({ id, slug, name }) => ({ id, slug, name }))
  }

  /** Compares everything observable while nothing is in flight. */
  async compare(): Promise<void> {
    const { workspaces } = this.sandbox.db
    expect(await this.read()).toEqual(this.rows)
    for (const key of [...ids, ...slugs])
      expect((await workspaces.get(key))?.name).toBe(find(this.rows, key)?.name)
    for (const slug of slugs)
      expect((await workspaces.list({ slug })).map(({ id }) => id)).toEqual(
        this.rows.filter((row) => row.slug === slug).map(({ id }) => id),
      )
    expect(this.sandbox.journal.entries()).toHaveLength(this.entries)
    expect(Date.parse(this.sandbox.clock.read().now) - Date.UTC(2026, 0, 1)).toBe(this.steps)
  }
}

interface Snapshot {
  readonly of: Subject
  readonly snapshot: ReturnType<Sandbox['snapshot']>
  candidates: Row[][]
  readonly steps: number
}

/** Throws if a sandbox deviates from the model. */
async function runModel(plan: readonly Step[], overlaps: boolean): Promise<void> {
  const template = (await createGateway().db.workspaces.list())[0] as Workspace
  const whole = (row: Row): Workspace => ({ ...template, ...row })
  const gateway = createGateway({ fixtures: { workspaces: seed.map(whole) } })
  const subjects = [new Subject(gateway.createSandbox(), seed)]
  const snapshots: Snapshot[] = []
  const pending: Promise<void>[] = []
  const patch = async (sandbox: Sandbox, key: string, body: object) =>
    (await call({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, `PATCH /workspaces/${key}`, { body }))
      .status

  for (const [index, { kind, key, changes, created, which, on, turns }] of plan.entries()) {
    const subject = subjects[on % subjects.length] as Subject
    const { sandbox, history, done, steps } = subject
    const { workspaces } = sandbox.db
    const changed = { name: `Step ${index}`, ...changes }
    const row = { ...created, name: `Step ${index}` }
    const update = (rows: Row[]) => updated(rows, key, changed)
    if (kind === 'patch') {
      subject.steps++
      subject.entries++
      await subject.write(update, () => patch(sandbox, key, changed))
    } else if (kind === 'update') {
      pending.push(subject.write(update, () => statusOf(workspaces.update(key, changed))))
    } else if (kind === 'create') {
      const create = (rows: Row[]) => (isTaken(rows, row) ? 409 : [...rows, row])
      pending.push(subject.write(create, () => statusOf(workspaces.create(whole(row)))))
    } else if (kind === 'delete') {
      const remove = (rows: Row[]) => (find(rows, key) ? rows.filter((row) => row !== find(rows, key)) : 404)
      pending.push(subject.write(remove, () => statusOf(workspaces.delete(key))))
    } else if (kind === 'list') {
      pending.push(subject.read().then((rows) => expect(history.slice(done)).toContainEqual(rows)))
    } else if (kind === 'snapshot') {
      snapshots.push({ of: subject, snapshot: sandbox.snapshot(), candidates: history.slice(done), steps })
    } else if (kind === 'restore') {
      const own = snapshots.filter(({ of }) => of === subject)
      const kept = own[which % own.length]
      if (!kept) continue
      sandbox.restore(kept.snapshot)
      const rows = await subject.read()
      expect(kept.candidates).toContainEqual(rows)
      kept.candidates = [rows]
      subject.restart(rows, kept.steps, subject.entries)
    } else if (kind === 'reset') {
      sandbox.reset()
      subject.restart(seed)
    } else if (kind === 'fork' && subjects.length < 4) {
      const candidates = history.slice(done)
      const fork = new Subject(sandbox.fork(), seed)
      const rows = await fork.read()
      expect(candidates).toContainEqual(rows)
      fork.restart(rows, steps)
      subjects.push(fork)
    } else if (kind === 'dispose' && subjects.length > 1) {
      sandbox.dispose()
      subjects.splice(subjects.indexOf(subject), 1)
      expect(await patch(sandbox, 'one', {})).toBe(410)
    }
    if (overlaps) for (let turn = 0; turn < turns; turn++) await undefined
    else await Promise.all(pending)
  }
  await Promise.all(pending)
  for (const subject of subjects) await subject.compare()
}

function statusOf(change: Promise<Row>): Promise<number> {
  return change.then(
    () => 200,
    ({ status }: { status: number }) => status,
  )
}

function find(rows: readonly Row[], key: string): Row | undefined {
  return rows.find((row) => row.id === key) ?? rows.find((row) => row.slug === key)
}

function isTaken(rows: readonly Row[], { id, slug }: Row, except?: Row): boolean {
  return rows.some((row) => row !== except && (row.id === id || row.slug === slug))
}

function updated(rows: Row[], key: string, changes: Partial<Row>): Row[] | number {
  const before = find(rows, key)
  if (!before) return 404
  const after = { ...before, ...changes }
  return isTaken(rows, after, before) ? 409 : rows.map((row) => (row === before ? after : row))
}

it.each([
  ['run one after another', false, cases(40, 20_000)],
  ['overlap at any await', true, cases(70, 50_000)],
] as const)(
  'a sandbox matches the model when steps %s',
  (_, overlaps, numRuns) =>
    fc.assert(
      fc.asyncProperty(plans, (plan) => runModel(plan, overlaps)),
      { numRuns, seed: 1 },
    ),
  isFullRun ? 3_600_000 : 30_000,
)
