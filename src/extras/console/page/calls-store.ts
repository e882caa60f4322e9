/**
 * The calls that the page holds: the newest of all sandboxes, kept up to date by the events.
 */
import { batch, computed, signal } from '@preact/signals'
import type { SandboxAddress } from '../../../control/remote-sandbox.ts'
import type { CallSummary } from '../../../journal/entry.ts'
import { ask, messageOf } from './api.ts'
import { follow } from './events.ts'
import { chosenSandbox, param } from './location.ts'

/** How many calls are held. */
const limit = 1000
/** Sandboxes whose calls are read at once. */
const maxSandboxes = 50

export const sandboxes = signal<SandboxAddress[]>([])
/** Oldest first. */
export const calls = signal<readonly CallSummary[]>([])
export const problem = signal('')
/** If true, the list keeps the newest call in view. Scrolling away from it ends that. */
export const isFollowing = signal(true)
export const isPaused = signal(false)
/** The calls that a paused list shows. */
const shownUntil = signal<readonly CallSummary[] | undefined>(undefined)

let held = new Map<string, CallSummary>()

/** Tells calls apart: after a reset, ids come again. */
export function keyOf({ sandbox, id, startedAt }: CallSummary): string {
  return `${sandbox} ${id} ${startedAt}`
}

export function pause(paused: boolean): void {
  isPaused.value = paused
  shownUntil.value = paused ? calls.value : undefined
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

/** What the list shows, oldest first. */
export const shownCalls = computed(() => {
  const sandbox = chosenSandbox.value
  return (shownUntil.value ?? calls.value).filter(
    (call) => (sandbox === '*' || call.sandbox === sandbox) && passes(call, filter.value),
  )
})

function passes(call: CallSummary, { text, operation, status, rule }: Filter): boolean {
  if (operation && (call.operation ?? 'none') !== operation) return false
  if (status === 'unmatched' ? !call.unmatched : status && !statusPasses(call, status)) return false
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

function statusPasses({ status, delivery }: CallSummary, wanted: string): boolean {
  if (wanted === 'broken') return status === 0 || delivery === 'aborted-by-fault'
  return String(status).startsWith(wanted.slice(0, 1))
}

export function ruleName({ rule }: Pick<CallSummary, 'rule'>): string {
  return rule ? `${rule.scenario}#${rule.rule}` : ''
}

export async function loadSandboxes(): Promise<void> {
  sandboxes.value = await ask('listSandboxes', {})
}

/** The calls that arrive during each load: its lists may be older. */
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
    held = new Map()
    take([...lists.flat().sort((left, right) => (left.startedAt < right.startedAt ? -1 : 1)), ...arrived])
    problem.value = ''
  } catch (error) {
    problem.value = messageOf(error)
  }
  loads.delete(arrived)
}

let isReloading = false
let isStale = false

/** Reads the calls anew, at most once a second, however many of them are missed. */
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
    held = new Map([...held].filter(([, call]) => !ids.includes(call.sandbox)))
    calls.value = [...held.values()]
  })
}

function take(news: readonly CallSummary[]): void {
  for (const call of news) held.set(keyOf(call), call)
  if (held.size > limit) held = new Map([...held].slice(-limit))
  calls.value = [...held.values()]
}

export function start(): void {
  follow({
    calls(news) {
      take(news)
      for (const arrived of loads) arrived.push(...news)
      const known = new Set(sandboxes.value.map(({ id }) => id))
      if (news.some(({ sandbox }) => !known.has(sandbox))) void loadSandboxes().catch(() => undefined)
    },
    resync: () => void reload(),
  })
  void loadCalls()
}
