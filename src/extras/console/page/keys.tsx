/**
 * Keyboard shortcuts, and the dialog that lists them.
 */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { step, toggleFocused } from './calls.tsx'
import { isAutoScrolling } from './calls-store.ts'
import { go, place } from './location.ts'
import { examples } from './search.ts'

export const isHelpOpen = signal(false)

export const keys = [
  ['/', 'Search'],
  ['j', 'Next call'],
  ['k', 'Previous call'],
  ['↓ ↑', 'Next and previous call in the list'],
  ['Enter', 'Open call'],
  ['Esc', 'Close call details'],
  ['x', 'Select call'],
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
  j: () => inCalls(() => step(1)),
  k: () => inCalls(() => step(-1)),
  x: () => inCalls(toggleFocused),
  f: () => {
    inCalls(() => (isAutoScrolling.value = !isAutoScrolling.value))
  },
  '?': () => {
    isHelpOpen.value = true
  },
  Escape: () => {
    inCalls(() => go({ call: undefined, in: undefined, with: undefined, within: undefined, tab: undefined }))
  },
}

function inCalls(act: () => void): void {
  if (place.value.view === 'calls') act()
}

/** Shortcuts that are active while a row has the focus. */
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
      <h3>Search terms</h3>
      <p class="bar">
        {Object.entries(examples).map(([field, example]) => (
          <code key={field}>{`${field}:${example}`}</code>
        ))}
        <code>-status:200</code>
      </p>
      <p class="muted">
        A minus sign negates a term with a colon. Words without a colon are searched for in the row.
      </p>
      <p class="muted">The console sends requests only to this server. No telemetry.</p>
      <button type="button" class="primary" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  )
}
