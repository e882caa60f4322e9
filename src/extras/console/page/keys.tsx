/**
 * Keyboard shortcuts, and the dialog that lists them.
 */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isFollowing } from './calls-store.ts'
import { go, place } from './location.ts'

export const isHelpOpen = signal(false)

export const keys = [
  ['/', 'Search'],
  ['j', 'Next call'],
  ['k', 'Previous call'],
  ['↓ ↑', 'The same, within the list'],
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
  const act = actions[key] ?? (element.matches('.rows a') ? listActions[key] : undefined)
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
  },
}

/** Where the focus is on a row. */
const listActions: Record<string, () => void> = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Home: () => step(Number.NEGATIVE_INFINITY),
  End: () => step(Number.POSITIVE_INFINITY),
}

/** On a screen with nothing to search, the calls are searched. */
function search(): void {
  const focus = () => {
    const field = document.querySelector<HTMLInputElement>('input[type=search]')
    field?.focus()
    return field !== null
  }
  if (focus()) return
  addEventListener('hashchange', () => requestAnimationFrame(focus), { once: true })
  go({}, { view: 'calls' })
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

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const close = () => {
    isHelpOpen.value = false
  }
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="help-title">
      <h2 id="help-title">Keyboard shortcuts</h2>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="muted">This page speaks to this server alone. There is no telemetry.</p>
      <button type="button" class="primary" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}
