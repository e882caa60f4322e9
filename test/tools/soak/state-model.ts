/**
 * Compares sandboxes with a model. Row changes, requests, forks, snapshots, restores, resets and disposals run in any
 * order, and each can start while earlier ones wait at any `await`.
 *
 * The model is a list of row lists, one per write in the order in which writes started. Every read must return a row
 * list between that of the last write completed before the read and that of the last write started before the read
 * ends.
 */
import fc from 'fast-check'
import { discard } from '../../../src/gateway/call.ts'
import { handle } from '../../../src/gateway/handle.ts'
import { createGateway, type Gateway, type Sandbox } from '../../../src/index.ts'
import type { Workspace } from '../../../src/resources/workspace.ts'
import { part } from './part.ts'

type Row = Pick<Workspace, 'id' | 'slug' | 'name'>

const ids = [1, 2, 3, 4].map((digit) => `${String(digit).repeat(8)}-0000-4000-8000-000000000000`)
const slugs = ['one', 'two', 'three', 'four', ids[3] as string]

const id = fc.constantFrom(...ids)
const slug = fc.constantFrom(...slugs)
const key = fc.oneof(id, slug)
const changes = fc.record({ slug }, { requiredKeys: [] })

const action = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('patch' as const), key, changes }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('update' as const), key, changes }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), id, slug }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), key }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('list' as const, 'snapshot' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('restore' as const), which: fc.nat({ max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('fork' as const, 'reset' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dispose' as const) }) },
)

/** One step: an action on a sandbox, and the number of microtask turns before the next step. */
export type Step = { action: typeof action extends fc.Arbitrary<infer Action> ? Action : never } & {
  on: number
  turns: number
}

/** @param turns Microtask turns between steps; `untilDone` waits for everything started. */
export function steps(turns: fc.Arbitrary<number>): fc.Arbitrary<Step[]> {
  return fc.array(fc.record({ action, on: fc.nat({ max: 3 }), turns }), { minLength: 1, maxLength: 25 })
}

/** Value of `turns` for sequential steps. */
export const untilDone = Number.POSITIVE_INFINITY

/** Plans of which one in five has sequential steps. */
const anyPlan = fc.oneof(
  { weight: 1, arbitrary: steps(fc.constant(untilDone)) },
  { weight: 4, arbitrary: steps(fc.nat({ max: 14 })) },
)

export const plans = part('plans for the state model', anyPlan, () => async (plan) => {
  await runModel(plan)
  return true
})

/** A sandbox's expected state. */
class ModelState {
  /** Rows after each write, in the order in which the writes started. */
  readonly history: Row[][]
  /** Number of writes known to be complete. */
  done = 0
  /** Number of requests received. */
  steps: number
  /** Number of occurrences by request content. */
  readonly counts: Map<string, number>
  /** Number of journal entries: the state's initial entries plus its requests. */
  entries: number

  constructor(rows: Row[], steps = 0, counts: ReadonlyMap<string, number> = new Map(), entries = 0) {
    this.history = [rows]
    this.steps = steps
    this.counts = new Map(counts)
    this.entries = entries
  }

  get rows(): Row[] {
    return this.history.at(-1) as Row[]
  }

  /** Returns the row lists that a read may currently return. */
  get visible(): Row[][] {
    return this.history.slice(this.done)
  }

  /** Starts a write. `result` is the new rows, or the error's status; call `end` once the write has finished. */
  begin(write: (rows: Row[]) => Row[] | number): { result: Row[] | number; end: () => void } {
    const result = write(this.rows)
    const place = this.history.push(typeof result === 'number' ? this.rows : result) - 1
    return {
      result,
      end: () => {
        this.done = Math.max(this.done, place)
      },
    }
  }
}

interface Snapshot {
  of: Subject
  snapshot: ReturnType<Sandbox['snapshot']>
  candidates: Row[][]
  steps: number
  counts: ReadonlyMap<string, number>
}

interface Subject {
  sandbox: Sandbox
  state: ModelState
}

const seed: Row[] = [
  { id: ids[0] as string, slug: 'one', name: 'One' },
  { id: ids[1] as string, slug: 'two', name: 'Two' },
]

/** Throws if a sandbox deviates from the model. */
export async function runModel(plan: readonly Step[]): Promise<void> {
  const template = (await createGateway().db.workspaces.list())[0] as Workspace
  const whole = (row: Row): Workspace => ({ ...template, ...row })
  const gateway = createGateway({ fixtures: { workspaces: seed.map(whole) } })
  const subjects: Subject[] = [{ sandbox: gateway.createSandbox(), state: new ModelState(seed) }]
  const snapshots: Snapshot[] = []
  const pending = new Set<Promise<void>>()
  const idOf = new Map<string, string>()
  let failure: unknown

  const start = (work: Promise<void>) => {
    const watched = work
      .catch((error) => {
        failure ??= error
      })
      .finally(() => pending.delete(watched))
    pending.add(watched)
  }

  for (const [index, { action, on, turns }] of plan.entries()) {
    const subject = subjects[on % subjects.length]
    if (!subject) break
    const { sandbox, state } = subject
    const name = `Step ${index}`
    switch (action.kind) {
      case 'patch': {
        const body = { name, ...action.changes }
        const content = `${action.key} ${JSON.stringify(body)}`
        const count = state.counts.get(content) ?? 0
        state.counts.set(content, count + 1)
        state.steps++
        state.entries++
        const write = state.begin((rows) => patched(rows, action.key, body))
        const { reply, queued } = patch(gateway, sandbox, action.key, body)
        start(
          reply.then(({ status, id, row }) => {
            write.end()
            same(status, typeof write.result === 'number' ? write.result : 200, 'status')
            if (Array.isArray(write.result)) same(row?.name, name, 'name in the reply')
            same(id, idOf.get(`${content}#${count}`) ?? id, 'x-request-id')
            idOf.set(`${content}#${count}`, id)
          }),
        )
        await queued
        break
      }
      case 'update': {
        const write = state.begin((rows) => updated(rows, action.key, { name, ...action.changes }))
        start(settled(sandbox.db.workspaces.update(action.key, { name, ...action.changes }), write))
        break
      }
      case 'create': {
        const row = { id: action.id, slug: action.slug, name }
        const write = state.begin((rows) => (isTaken(rows, row) ? 409 : [...rows, row]))
        start(settled(sandbox.db.workspaces.create(whole(row)), write))
        break
      }
      case 'delete': {
        const write = state.begin((rows) => {
          const found = find(rows, action.key)
          return found ? rows.filter((row) => row !== found) : 404
        })
        start(settled(sandbox.db.workspaces.delete(action.key), write))
        break
      }
      case 'list': {
        const { done } = state
        start(read(sandbox).then((rows) => oneOf(rows, state.history.slice(done), 'a list')))
        break
      }
      case 'snapshot':
        snapshots.push({
          of: subject,
          snapshot: sandbox.snapshot(),
          candidates: state.visible,
          steps: state.steps,
          counts: new Map(state.counts),
        })
        break
      case 'restore': {
        const own = snapshots.filter(({ of }) => of === subject)
        const kept = own[action.which % own.length]
        if (!kept) break
        const entries = sandbox.journal.entries().length
        sandbox.restore(kept.snapshot)
        const rows = await read(sandbox)
        oneOf(rows, kept.candidates, 'a restored snapshot')
        kept.candidates = [rows]
        subject.state = new ModelState(rows, kept.steps, kept.counts, entries)
        break
      }
      case 'reset':
        sandbox.reset()
        subject.state = new ModelState(seed)
        break
      case 'fork': {
        if (subjects.length > 3) break
        const { visible, steps, counts } = state
        const copied = new Map(counts)
        const fork = sandbox.fork()
        const rows = await read(fork)
        oneOf(rows, visible, 'a fork')
        subjects.push({ sandbox: fork, state: new ModelState(rows, steps, copied) })
        break
      }
      case 'dispose': {
        if (subjects.length === 1) break
        sandbox.dispose()
        subjects.splice(subjects.indexOf(subject), 1)
        const { status } = await patch(gateway, sandbox, 'one', {}).reply
        same(status, 410, "a disposed sandbox's status")
        break
      }
    }
    if (turns === untilDone) await Promise.all(pending)
    else for (let turn = 0; turn < turns; turn++) await undefined
  }
  await Promise.all(pending)
  if (failure) throw failure
  for (const subject of subjects) await compare(subject)
}

/** Compares everything observable while nothing is in flight. */
async function compare({ sandbox, state }: Subject): Promise<void> {
  same(await read(sandbox), state.rows, 'rows')
  for (const key of [...ids, ...slugs]) {
    same((await sandbox.db.workspaces.get(key))?.name, find(state.rows, key)?.name, `the row '${key}'`)
  }
  for (const slug of slugs) {
    const listed = (await sandbox.db.workspaces.list({ slug })).map((row) => row.id)
    same(
      listed,
      state.rows.filter((row) => row.slug === slug).map((row) => row.id),
      `rows of slug '${slug}'`,
    )
  }
  same(sandbox.journal.entries().length, state.entries, 'journal entries')
  same(Date.parse(sandbox.clock.read().now) - Date.UTC(2026, 0, 1), state.steps, 'clock steps')
}

async function read(sandbox: Sandbox): Promise<Row[]> {
  return (await sandbox.db.workspaces.list()).map(({ id, slug, name }) => ({ id, slug, name }))
}

/** Sends a request, and reports when its write is queued, which determines the order of writes. */
function patch(gateway: Gateway, sandbox: Sandbox, key: string, body: object) {
  const { state } = sandbox
  const { promise: queued, resolve } = Promise.withResolvers<void>()
  state.write = (work) => {
    Reflect.deleteProperty(state, 'write')
    resolve()
    return state.write(work)
  }
  const reply = send(gateway, sandbox, key, body)
  return { reply, queued: Promise.race([queued, reply.then(() => {})]) }
}

async function send(gateway: Gateway, sandbox: Sandbox, key: string, body: object) {
  const record = await handle(gateway, {
    method: 'PATCH',
    path: `/api/v1/workspaces/${key}`,
    search: '',
    headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
    readBody: async () => new TextEncoder().encode(JSON.stringify(body)),
    sink: discard,
  })
  const { status, id, reply } = record
  const { data } = (reply.body.kind === 'json' ? reply.body.value : {}) as { data?: Row }
  record.settled('complete')
  return { status, id, row: data }
}

function settled(call: Promise<Row>, write: ReturnType<ModelState['begin']>): Promise<void> {
  return call
    .then(
      () => 200,
      (error: { status?: number }) => error.status ?? String(error),
    )
    .then((status) => {
      write.end()
      same(status, typeof write.result === 'number' ? write.result : 200, 'outcome of a write')
    })
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

/**
 * Applies a PATCH: like an update, but a slug also conflicts with another row's id. A slug has at most 50
 * characters.
 */
function patched(rows: Row[], key: string, changes: Partial<Row>): Row[] | number {
  const before = find(rows, key)
  if (before && rows.some((row) => row !== before && row.id === changes.slug)) return 409
  return updated(rows, key, changes)
}

function same(actual: unknown, expected: unknown, what: string): void {
  oneOf(actual, [expected], what)
}

function oneOf(actual: unknown, expected: readonly unknown[], what: string): void {
  const text = JSON.stringify(actual)
  if (expected.some((each) => JSON.stringify(each) === text)) return
  throw new Error(`${what}: ${text}, expected ${expected.map((each) => JSON.stringify(each)).join(' or ')}`)
}
