/**
 * Keyboard shortcuts.
 */
import { signal } from '@preact/signals'
import { isFollowing } from './follow.ts'
import { go, place } from './location.ts'

export const isHelpOpen = signal(false)

export const keys = [
  ['/', 'Search the calls'],
  ['j', 'Next call'],
  ['k', 'Previous call'],
  ['Enter', 'Open the call'],
  ['Esc', 'Close the call'],
  ['f', 'Follow the newest calls, or stop'],
  ['?', 'Show these shortcuts'],
] as const

export function handleKey(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || isHelpOpen.value) return
  const element = target as HTMLElement
  if (element.matches('input, textarea, select')) {
    if (key === 'Escape') element.blur()
    return
  }
  const act = actions[key]
  if (!act) return
  event.preventDefault()
  act()
}

const actions: Record<string, () => void> = {
  '/': search,
  j: () => step(1),
  k: () => step(-1),
  f: () => {
    if (place.value.view === 'calls') isFollowing.value = !isFollowing.value
  },
  '?': () => {
    isHelpOpen.value = true
  },
  Escape: () => {
    if (place.value.view !== 'calls' || !place.value.params.get('call')) return
    go({ call: undefined, in: undefined, tab: undefined })
    rows()
      .find((row) => row.ariaCurrent === 'true')
      ?.focus()
  },
}

function search(): void {
  if (place.value.view !== 'calls') go({}, { view: 'calls' })
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('input[type=search]')?.focus())
}

function rows(): HTMLAnchorElement[] {
  return [...document.querySelectorAll<HTMLAnchorElement>('.rows a')]
}

/** The newest stands first, so the next one is older. */
function step(by: number): void {
  const all = rows()
  const open = all.findIndex((row) => row.ariaCurrent === 'true')
  const focused = all.indexOf(document.activeElement as HTMLAnchorElement)
  const from = focused >= 0 ? focused : open
  const next = all[from < 0 ? 0 : Math.max(0, Math.min(all.length - 1, from + by))]
  next?.focus()
}
