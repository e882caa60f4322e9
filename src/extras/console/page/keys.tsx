/**
 * Keyboard shortcuts, and the dialog that lists them.
 */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isAutoScrolling } from './calls-store.ts'
import { go, place } from './location.ts'

export const isHelpOpen = signal(false)

export const keys = [
  ['/', 'Search'],
  ['j', 'Next call'],
  ['k', 'Previous call'],
  ['↓ ↑', 'Next and previous call in the list'],
  ['Enter', 'Open call'],
  ['Esc', 'Close call'],
  ['f', 'Toggle auto-scroll'],
  ['?', 'Show keyboard shortcuts'],
] as const

export function handleKey(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || document.querySelector('dialog[open]')) return
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
    if (place.value.view === 'calls') isAutoScrolling.value = !isAutoScrolling.value
  },
  '?': () => {
    isHelpOpen.value = true
  },
  Escape: () => {
    if (place.value.view !== 'calls' || !place.value.params.get('call')) return
    go({ call: undefined, in: undefined, tab: undefined })
  },
}

/** Actions while a row has focus. */
const listActions: Record<string, () => void> = {
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  Home: () => step(Number.NEGATIVE_INFINITY),
  End: () => step(Number.POSITIVE_INFINITY),
}

/** Focuses the search field. Screens without one open the list of calls first. */
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

/** Moves the focus by rows. Rows are sorted newest first, so the next row is older. */
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
      <p class="muted">The console only sends requests to this server. No telemetry.</p>
      <button type="button" class="primary" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}
