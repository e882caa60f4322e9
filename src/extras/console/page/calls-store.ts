/**
 * Store of the newest calls of all sandboxes, updated by events from the server.
 */
import { batch, computed, effect, signal } from '@preact/signals'
import type { SandboxAddress } from '../../../control/remote-sandbox.ts'
import type { CallSummary } from '../../../journal/entry.ts'
import { ask, goneCount, messageOf } from './api.ts'
import { follow } from './events.ts'
import { chosenSandbox, param } from './location.ts'

/** Maximum number of calls. */
const limit = 1000
/** Maximum number of sandboxes whose calls are loaded. */
const maxSandboxes = 50

export const sandboxes = signal<SandboxAddress[]>([])
/** If true, the chosen sandbox was deleted or has expired. */
export const isChosenGone = computed(
  () =>
    sandboxes.value.length > 0 &&
    chosenSandbox.value !== '*' &&
    !sandboxes.value.some(({ id }) => id === chosenSandbox.value),
)
/** Oldest first. */
export const calls = signal<readonly CallSummary[]>([])
export const problem = signal('')
/** If true, the list scrolls to the newest call. Scrolling away turns it off. */
export const isAutoScrolling = signal(true)
export const isPaused = signal(false)
/** Calls that a paused list shows. */
const pausedCalls = signal<readonly CallSummary[] | undefined>(undefined)

let byKey = new Map<string, CallSummary>()

/** Identifies a call. The id alone is not unique, because ids repeat after a reset. */
export function keyOf({ sandbox, id, startedAt }: CallSummary): string {
  return `${sandbox} ${id} ${startedAt}`
}

export function pause(paused: boolean): void {
  isPaused.value = paused
  pausedCalls.value = paused ? calls.value : undefined
}

export interface Filter {
  text: string
  operation: string
  status: string
  rule: string
}

export const filter = computed<Filter>(() => ({
  text: param('q').toLowerCase(),
  operation: param('operation'),
  status: param('status'),
  rule: param('rule'),
}))

/** Filtered calls, oldest first. */
export const shownCalls = computed(() => {
  const sandbox = chosenSandbox.value
  return (pausedCalls.value ?? calls.value).filter(
    (call) => (sandbox === '*' || call.sandbox === sandbox) && matches(call, filter.value),
  )
})

function matches(call: CallSummary, { text, operation, status, rule }: Filter): boolean {
  if (operation && (call.operation ?? 'none') !== operation) return false
  if (status === 'unmatched' ? !call.unmatched : status && !matchesStatus(call, status)) return false
  if (rule && ruleName(call) !== rule && call.rule?.scenario !== rule) return false
  if (!text) return true
  const words = [
    call.method,
    call.path,
    call.operation,
    call.model,
    call.id,
    call.sandbox,
    String(call.status),
  ]
  return [...words, ruleName(call), ...(call.rule?.faults ?? [])].some((word) =>
    word?.toLowerCase().includes(text),
  )
}

function matchesStatus({ status, delivery }: CallSummary, wanted: string): boolean {
  if (wanted === 'aborted') return status === 0 || delivery === 'aborted-by-fault'
  return String(status).startsWith(wanted.slice(0, 1))
}

export function ruleName({ rule }: Pick<CallSummary, 'rule'>): string {
  return rule ? `${rule.scenario}#${rule.rule}` : ''
}

export async function loadSandboxes(): Promise<void> {
  sandboxes.value = await ask('listSandboxes', {})
}

/** Calls that arrive during a load: the loaded lists may not have them yet. One set for each load in progress. */
const loads = new Set<CallSummary[]>()

export async function loadCalls(): Promise<void> {
  const arrived: CallSummary[] = []
  loads.add(arrived)
  try {
    await loadSandboxes()
    const ids = sandboxes.value.map(({ id }) => id)
    const lists = await Promise.all(
      [...new Set(['default', ...ids.slice(-maxSandboxes)])].map((id) =>
        ask('listCalls', { sandbox: id }, { query: { last: limit } }).catch(() => []),
      ),
    )
    byKey = new Map()
    take([...lists.flat().sort((left, right) => (left.startedAt < right.startedAt ? -1 : 1)), ...arrived])
    problem.value = ''
  } catch (error) {
    problem.value = messageOf(error)
  }
  loads.delete(arrived)
}

let isReloading = false
let isStale = false

/** Reloads all calls, at most once per second. */
async function reload(): Promise<void> {
  isStale = true
  if (isReloading) return
  isReloading = true
  while (isStale) {
    isStale = false
    await loadCalls()
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  isReloading = false
}

export async function clearCalls(): Promise<void> {
  const chosen = chosenSandbox.value
  const ids = chosen === '*' ? sandboxes.value.map(({ id }) => id) : [chosen]
  await Promise.all(ids.map((id) => ask('clearJournal', { sandbox: id }).catch(() => undefined)))
  batch(() => {
    pause(false)
    byKey = new Map([...byKey].filter(([, call]) => !ids.includes(call.sandbox)))
    calls.value = [...byKey.values()]
  })
}

function take(updates: readonly CallSummary[]): void {
  for (const call of updates) byKey.set(keyOf(call), call)
  if (byKey.size > limit) byKey = new Map([...byKey].slice(-limit))
  calls.value = [...byKey.values()]
}

export function start(): void {
  follow({
    calls(updates) {
      take(updates)
      for (const arrived of loads) arrived.push(...updates)
      const known = new Set(sandboxes.value.map(({ id }) => id))
      if (updates.some(({ sandbox }) => !known.has(sandbox))) void loadSandboxes().catch(() => undefined)
    },
    resync: () => void reload(),
  })
  void loadCalls()
  effect(() => {
    if (goneCount.value > 0) void loadSandboxes().catch(() => undefined)
  })
}
