/** Stores the newest calls in all sandboxes, updated by events from the server. */
import { batch, computed, effect, signal } from '@preact/signals'
import type { SandboxAddress } from '../../../control/sandbox-operations.ts'
import type { BodySearch } from '../body-search.ts'
import type { ChangedCalls } from '../operations.ts'
import type { CallRow } from '../rows.ts'
import { ask, askConsole, goneCount, messageOf } from './api.ts'
import { follow, loadChanges } from './changes.ts'
import { failNext } from './fail-next.tsx'
import { failedTest, readFailedTest, searchFile } from './failed-test.ts'
import { chosenSandbox, param } from './location.ts'
import { shortPath, timeOfDay, toast } from './parts.tsx'
import { isInBodies, matches, parseSearch, ruleName, textOf } from './search.ts'

/** Maximum number of calls to keep in the list. Older ones are removed, as are calls that the server has evicted. */
const limit = 5000
/** Minimum time between two searches in bodies, in milliseconds. */
const searchEveryMs = 250
const maxSearchLength = 1000
/** Minimum time between two updates of the list, in milliseconds. Longer while the user types a search. */
const publishEveryMs = () => (document.activeElement?.matches('[type=search]') ? 600 : 200)

export const sandboxes = signal<SandboxAddress[]>([])
/** If true, the selected sandbox was deleted or has expired. */
export const isChosenGone = computed(
  () =>
    !failedTest.value &&
    sandboxes.value.length > 0 &&
    chosenSandbox.value !== '*' &&
    !sandboxes.value.some(({ id }) => id === chosenSandbox.value),
)
/** All calls, oldest first. */
export const calls = signal<readonly CallRow[]>([])
export const isLoaded = signal(false)
export const problem = signal('')
/** Calls shown while the list is paused; undefined otherwise. */
export const pausedCalls = signal<readonly CallRow[] | undefined>(undefined)
export const selected = signal<ReadonlySet<string>>(new Set())

let byKey = new Map<string, CallRow>()

/** Returns a sandbox's id, followed by its name if it has one. */
export function withName(id: string, name?: string | null): string {
  return name ? `${id} · ${name}` : id
}

/** Identifies a call. The id alone is not unique, because ids repeat after a reset. */
export function keyOf({ sandbox, id, startedAt }: CallRow): string {
  return `${sandbox} ${id} ${startedAt}`
}

/** Returns a call's method, path and time, or its id if the call is not in the list. */
export function titleOfCall(sandbox: string, id: string): string {
  const call = calls.value.findLast((each) => each.id === id && each.sandbox === sandbox)
  return call ? `${call.method} ${shortPath(call)} ${timeOfDay(call.startedAt)}` : id
}

export function togglePause(): void {
  pausedCalls.value = pausedCalls.value ? undefined : calls.value
}

export const terms = computed(() => parseSearch(param('q')))
/** Sandbox and id of each call that the server has found, keyed by search term as typed. */
const found = signal<ReadonlyMap<string, ReadonlySet<string>>>(new Map())

/** False while the server searches for a new term. */
export const isSearched = computed(() =>
  terms.value.every((term) => !isInBodies(term) || found.value.has(term.text) || calls.value.length === 0),
)

/** Calls in the chosen sandbox, or in all sandboxes. Oldest first. */
export const chosenCalls = computed(() => {
  const sandbox = chosenSandbox.value
  const all = pausedCalls.value ?? calls.value
  return sandbox === '*' ? all : all.filter((call) => call.sandbox === sandbox)
})

/** Calls that match the search. Oldest first. */
export const shownCalls = computed(() => {
  if (terms.value.length === 0) return chosenCalls.value
  const sets = terms.value.map((term) => [term, found.value.get(term.text)] as const)
  return chosenCalls.value.filter((call) =>
    sets.every(([term, set]) => matches(call, term, set?.has(`${call.sandbox} ${call.id}`) ?? false)),
  )
})

const compare = new Intl.Collator('en', { numeric: true }).compare

export const columns = {
  time: ['Time', (call) => call.startedAt],
  status: ['Status', (call) => call.status],
  path: ['Request', (call) => `${shortPath(call)} ${call.method}`],
  input: ['Input', (call) => call.input],
  rule: ['Rule', ruleName],
  duration: ['Duration', (call) => call.durationMs ?? Number.POSITIVE_INFINITY],
  model: ['Model', (call) => call.model ?? ''],
  sandbox: ['Sandbox', (call) => call.sandboxName ?? call.sandbox],
  size: ['Size', (call) => call.bytes],
} satisfies Record<string, readonly [title: string, read: (call: CallRow) => string | number]>
export type Column = keyof typeof columns

/** Column to sort by, and whether the highest value comes first. Default: by time, newest first. */
export const order = computed((): { column: Column; isDescending: boolean } => {
  const sort = param('sort') || '-time'
  const column = sort.replace(/^-/, '')
  return Object.hasOwn(columns, column)
    ? { column: column as Column, isDescending: sort.startsWith('-') }
    : { column: 'time', isDescending: true }
})

/** A list entry: a call or a group heading. */
export type Item = CallRow | { group: string; count: number }

const groupings: Record<string, (call: CallRow) => string | null> = {
  conversation: ({ conversation, sandbox, sandboxName }) =>
    conversation && `${withName(sandbox, sandboxName)}: ${conversation}`,
  trace: ({ traceId }) => traceId,
}

const sortedCalls = computed((): readonly CallRow[] => {
  const { column, isDescending } = order.value
  const read: (call: CallRow) => string | number = columns[column][1]
  const sorted =
    column === 'time'
      ? shownCalls.value
      : shownCalls.value.toSorted((left, right) => {
          const [first, second] = [read(left), read(right)]
          return typeof first === 'number' ? first - Number(second) : compare(first, String(second))
        })
  return isDescending ? sorted.toReversed() : sorted
})

/** The list as shown: sorted, and grouped if the URL requests it. Calls without a group are below the last heading. */
export const items = computed((): readonly Item[] => {
  const calls = sortedCalls.value
  const groupOf = groupings[param('group')]
  if (!groupOf) return calls
  const groups = [...Map.groupBy(calls, groupOf)].filter(
    ([group, { length }]) => group !== null && length > 1,
  )
  // The turns of a conversation are easier to follow from the first.
  if (order.value.column === 'time' && order.value.isDescending)
    for (const [, members] of groups) members.reverse()
  const grouped = new Set(groups.flatMap(([, members]) => members))
  const others = calls.filter((call) => !grouped.has(call))
  return [...groups, ['Other calls', others] as const].flatMap(([group, members]): Item[] =>
    members.length > 0 ? [{ group: group ?? '', count: members.length }, ...members] : [],
  )
})

export async function loadSandboxes(): Promise<void> {
  sandboxes.value = await ask('listSandboxes', {})
}

export async function loadCalls(): Promise<void> {
  try {
    const [changed] = await Promise.all([loadChanges(), loadSandboxes()])
    take(changed)
    problem.value = ''
  } catch (error) {
    problem.value = messageOf(error)
  }
}

export async function clearCalls(): Promise<void> {
  const chosen = chosenSandbox.value
  const ids = chosen === '*' ? sandboxes.value.map(({ id }) => id) : [chosen]
  await Promise.all(ids.map((id) => ask('clearJournal', { sandbox: id }).catch(() => undefined)))
  batch(() => {
    pausedCalls.value = undefined
    selected.value = new Set()
    byKey = new Map([...byKey].filter(([, call]) => !ids.includes(call.sandbox)))
    calls.value = [...byKey.values()]
  })
}

/** Shows a failed test's file or, without a file, the server's calls again. */
export async function showFailedTest(file?: File): Promise<void> {
  try {
    const opened = file && (await readFailedTest(file))
    batch(() => {
      failedTest.value = opened
      problem.value = ''
      pausedCalls.value = undefined
      selected.value = new Set()
      calls.value = opened ? opened.calls.map(({ row }) => row) : [...byKey.values()]
    })
    location.hash = '#/calls'
  } catch (error) {
    problem.value = messageOf(error)
  }
}

function take({ rows, isComplete, oldest }: ChangedCalls): void {
  if (isComplete) byKey = new Map()
  for (const row of rows) {
    byKey.set(keyOf(row), row)
    textOf(row)
  }
  const first = oldest ? keyOf(oldest) : ''
  for (const key of byKey.keys()) {
    if (byKey.size <= limit && (key === first || !byKey.has(first))) break
    byKey.delete(key)
  }
  isLoaded.value = true
  if (rows.some((row) => row.rules.some(({ scenario }) => scenario === failNext))) toast.value = ''
  publish()
  const known = new Set(sandboxes.value.map(({ id }) => id))
  if (rows.some(({ sandbox }) => !known.has(sandbox))) void loadSandboxes().catch(() => undefined)
}

const now = () => document.timeline.currentTime as number
let publishedAt = Number.NEGATIVE_INFINITY
let isPublishing = false

/** Updates the list at once, or together with calls that arrive shortly after. */
function publish(): void {
  if (isPublishing) return
  isPublishing = true
  setTimeout(
    () => {
      isPublishing = false
      publishedAt = now()
      if (!failedTest.value) calls.value = [...byKey.values()]
    },
    Math.max(0, publishedAt + publishEveryMs() - now()),
  )
}

export function start(): void {
  void follow(take)
  void loadSandboxes().catch(() => undefined)
  effect(() => {
    if (goneCount.value > 0) void loadSandboxes().catch(() => undefined)
  })
  effect(() => {
    // Searches again when calls arrive.
    if (terms.value.some(isInBodies) && calls.value.length > 0) void searchBodies()
  })
}

let isSearching = false

/** Repeats the search until terms and calls stop changing. Searches use at most a tenth of the server's time. */
async function searchBodies(): Promise<void> {
  if (isSearching) return
  isSearching = true
  const began = now()
  const [searched, known] = [terms.value, calls.value]
  const sets = await Promise.all(
    searched.filter(isInBodies).map(async ({ text, name, value }) => {
      const search = { text: value.slice(0, maxSearchLength), ...(name && { field: name }) }
      const keys = await searchFor(search)
      return [text, new Set(keys.map(([sandbox, id]) => `${sandbox} ${id}`))] as const
    }),
  )
  found.value = new Map(sets)
  await new Promise((resolve) => setTimeout(resolve, Math.max(searchEveryMs, 9 * (now() - began))))
  isSearching = false
  if (searched !== terms.value || known !== calls.value) void searchBodies()
}

async function searchFor(search: BodySearch): Promise<[sandbox: string, id: string][]> {
  if (failedTest.value) return searchFile(failedTest.value, search)
  try {
    return await askConsole('POST /body-searches', search)
  } catch (error) {
    problem.value = `Bodies were not searched: ${messageOf(error)}`
    return []
  }
}
