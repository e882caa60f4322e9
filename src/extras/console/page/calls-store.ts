/** Stores the newest calls in all sandboxes, updated by events from the server. */
import { batch, computed, effect, signal } from '@preact/signals'
import type { SandboxAddress } from '../../../control/sandbox-operations.ts'
import type { ChangedCalls } from '../operations.ts'
import type { CallRow } from '../rows.ts'
import { ask, askConsole, goneCount, messageOf } from './api.ts'
import { follow, loadChanges } from './changes.ts'
import { failedTest, readFailedTest } from './failed-test.ts'
import { chosenSandbox, param } from './location.ts'
import { matches, parseSearch, ruleName } from './search.ts'

/** Maximum number of calls to keep in the list. Older ones are removed. */
const limit = 5000
/** Minimum time between two searches in bodies, in milliseconds. */
const searchEveryMs = 250
/** Minimum time between two updates of the list, in milliseconds. */
const publishEveryMs = 200

export const sandboxes = signal<SandboxAddress[]>([])
/** If true, the chosen sandbox was deleted or has expired. */
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
/** If true, the list scrolls to the newest call. Scrolling away turns auto-scrolling off. */
export const isAutoScrolling = signal(true)
export const isPaused = signal(false)
/** Calls shown while the list is paused; otherwise undefined. */
const pausedCalls = signal<readonly CallRow[] | undefined>(undefined)
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

export function pause(paused: boolean): void {
  isPaused.value = paused
  pausedCalls.value = paused ? calls.value : undefined
}

const terms = computed(() => parseSearch(param('q')))
/** Search terms that the server looks for in bodies. */
const bodyTexts = computed(() => terms.value.filter(({ field, value }) => field === 'body' && value !== ''))
/** Calls whose bodies contain a search term, as sandbox and id, by term. */
const bodyMatches = signal<ReadonlyMap<string, ReadonlySet<string>>>(new Map())

/** Calls in the chosen sandbox, or in all sandboxes. Oldest first. */
export const chosenCalls = computed(() => {
  const sandbox = chosenSandbox.value
  const all = pausedCalls.value ?? calls.value
  return sandbox === '*' ? all : all.filter((call) => call.sandbox === sandbox)
})

export const shownCalls = computed(() =>
  chosenCalls.value.filter(
    (call) =>
      matches(call, terms.value) &&
      bodyTexts.value.every(
        ({ value, isNegated }) =>
          bodyMatches.value.get(value)?.has(`${call.sandbox} ${call.id}`) === !isNegated,
      ),
  ),
)

/**
 * Duration of a full bar in milliseconds: about the 95th percentile, so that one stalled stream does not flatten all
 * other bars. Rounded up to a power of two, so that the scale seldom changes.
 */
export const durationScale = computed(() => {
  const durations = Float64Array.from(shownCalls.value, ({ durationMs }) => durationMs ?? 0).sort()
  return 2 ** Math.ceil(Math.log2(Math.max(1, durations[Math.floor(durations.length * 0.95)] ?? 0)))
})

const compare = new Intl.Collator('en', { numeric: true }).compare

export const columns = {
  time: ['Time', (call) => call.startedAt],
  status: ['Status', (call) => call.status],
  path: ['Request', (call) => `${call.path} ${call.method}`],
  input: ['Input', (call) => call.input],
  model: ['Model', (call) => call.model ?? ''],
  size: ['Size', (call) => call.bytes],
  rule: ['Rule', ruleName],
  sandbox: ['Sandbox', (call) => withName(call.sandbox, call.sandboxName)],
  first: ['First byte', (call) => call.firstByteMs ?? -1],
  duration: ['Duration', (call) => call.durationMs ?? Number.POSITIVE_INFINITY],
} satisfies Record<string, readonly [title: string, read: (call: CallRow) => string | number]>
export type Column = keyof typeof columns

/** Column to sort by, and whether the highest value comes first. Default: newest calls first. */
export const order = computed((): { column: Column; isDescending: boolean } => {
  const sort = param('sort')
  const column = sort.replace(/^-/, '')
  return Object.hasOwn(columns, column)
    ? { column: column as Column, isDescending: sort.startsWith('-') }
    : { column: 'time', isDescending: true }
})

/** A list entry: a call or a group heading. */
export type Item = CallRow | { group: string; count: number }

const groupings: Record<string, (call: CallRow) => string> = {
  conversation: (call) => call.conversation ?? 'No conversation',
  trace: (call) => call.traceId ?? 'No trace',
}

/** The list as shown: sorted, and grouped if the URL requests grouping. */
export const items = computed((): readonly Item[] => {
  const { column, isDescending } = order.value
  const read: (call: CallRow) => string | number = columns[column][1]
  const sorted =
    column === 'time'
      ? shownCalls.value
      : shownCalls.value.toSorted((left, right) => {
          const [first, second] = [read(left), read(right)]
          return typeof first === 'number' ? first - Number(second) : compare(first, String(second))
        })
  const calls = isDescending ? sorted.toReversed() : sorted
  const groupOf = groupings[param('group')]
  if (!groupOf) return calls
  return [...Map.groupBy(calls, groupOf)].flatMap(([group, members]) => [
    { group, count: members.length },
    ...members,
  ])
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
    pause(false)
    selected.value = new Set()
    byKey = new Map([...byKey].filter(([, call]) => !ids.includes(call.sandbox)))
    calls.value = [...byKey.values()]
  })
}

/** Shows the file of a failed test instead of the server's calls, or these again if there is no file. */
export async function showFailedTest(file?: File): Promise<void> {
  try {
    const opened = file && (await readFailedTest(file))
    batch(() => {
      failedTest.value = opened
      problem.value = ''
      pause(false)
      selected.value = new Set()
      calls.value = opened ? opened.calls.map(({ row }) => row) : [...byKey.values()]
    })
    location.hash = '#/calls'
  } catch (error) {
    problem.value = messageOf(error)
  }
}

function take({ rows, isComplete }: ChangedCalls): void {
  if (isComplete) byKey = new Map()
  for (const row of rows) byKey.set(keyOf(row), row)
  for (const key of byKey.keys()) {
    if (byKey.size <= limit) break
    byKey.delete(key)
  }
  isLoaded.value = true
  publish()
  const known = new Set(sandboxes.value.map(({ id }) => id))
  if (rows.some(({ sandbox }) => !known.has(sandbox))) void loadSandboxes().catch(() => undefined)
}

let publishedAt = Number.NEGATIVE_INFINITY
let isPublishing = false

/** Shows calls at once, or together with calls that arrive shortly after. */
function publish(): void {
  const now = document.timeline.currentTime as number
  if (isPublishing) return
  isPublishing = true
  setTimeout(
    () => {
      isPublishing = false
      publishedAt = document.timeline.currentTime as number
      if (!failedTest.value) calls.value = [...byKey.values()]
    },
    Math.max(0, publishedAt + publishEveryMs - now),
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
    if (bodyTexts.value.length > 0 && calls.value.length > 0) void searchBodies()
  })
}

let isSearching = false

async function searchBodies(): Promise<void> {
  if (isSearching) return
  isSearching = true
  await new Promise((resolve) => setTimeout(resolve, searchEveryMs))
  isSearching = false
  const found = await Promise.all(
    bodyTexts.value.map(async ({ value: text }) => {
      const keys = await askConsole<[string, string][]>('POST /body-searches', { text }).catch(() => [])
      return [text, new Set(keys.map(([sandbox, id]) => `${sandbox} ${id}`))] as const
    }),
  )
  bodyMatches.value = new Map(found)
}
