/** Components and formatters that several screens share. */
import { type Signal, signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { JournalEntry } from '../../../journal/entry.ts'
import { splitAddress } from '../../../lib/address.ts'
import { parseJson } from '../../../lib/json.ts'
import { ask, messageOf } from './api.ts'

export function ActionButton({
  run,
  children,
  kind,
  label,
  disabled = false,
  isSubmit = false,
  question,
}: {
  /** Action to run. A returned string is shown briefly. Errors remain visible. */
  run: () => Promise<unknown>
  children: ComponentChildren
  kind?: 'primary' | 'danger'
  /** Accessible name. Default: the button's text. */
  label?: string | undefined
  disabled?: boolean
  /** If true, Enter in a field of the surrounding form presses the button. */
  isSubmit?: boolean
  /** Confirmation question, for actions that lose data. Cancel has the focus. */
  question?: string | undefined
}) {
  const problem = useSignal('')
  const isBusy = useSignal(false)
  const isAsking = useSignal(false)
  const act = async () => {
    // The busy button stays enabled, because a disabled one would lose the focus.
    if (isBusy.value) return
    isBusy.value = true
    try {
      const result = await run()
      problem.value = ''
      if (typeof result === 'string') show(result)
    } catch (error) {
      problem.value = messageOf(error)
    }
    isBusy.value = false
  }
  return (
    <span class="action">
      <button
        type={isSubmit ? 'submit' : 'button'}
        class={kind}
        aria-label={label}
        disabled={disabled}
        aria-busy={isBusy.value}
        onClick={question ? () => (isAsking.value = true) : act}
      >
        {children}
      </button>
      <span role="status">{problem}</span>
      {isAsking.value && (
        <dialog ref={showModal} onClose={() => (isAsking.value = false)} aria-label={question}>
          <p>{question}</p>
          <div class="bar">
            <button type="button" onClick={close}>
              Cancel
            </button>
            <button
              type="button"
              class="danger"
              onClick={(event) => {
                close(event)
                void act()
              }}
            >
              {children}
            </button>
          </div>
        </dialog>
      )}
    </span>
  )
}

/** The latest result, shown over the page so that the layout does not shift. */
export const toast = signal('')
/** Time for which a result is shown, in milliseconds. */
const shownMs = 4000
let timer = 0

function show(text: string): void {
  toast.value = text
  clearTimeout(timer)
  timer = window.setTimeout(() => (toast.value = ''), shownMs)
}

/** Focuses an element, often instead of one that is about to be removed. */
export function focus(selector: string): void {
  document.querySelector<HTMLElement>(selector)?.focus()
}

const showModal = (dialog: HTMLDialogElement | null) => dialog?.showModal()
const close = ({ currentTarget }: { currentTarget: Element }) => currentTarget.closest('dialog')?.close()

export function ResetButton({ sandbox, onReset }: { sandbox: string; onReset: () => unknown }) {
  const reset = async () => {
    await ask('resetSandbox', { sandbox })
    await onReset()
    return 'Sandbox reset to its initial state'
  }
  const question = `Reset sandbox '${sandbox}'? Its calls, active scenarios and changed records will be lost.`
  return (
    <ActionButton kind="danger" question={question} run={reset}>
      Reset sandbox
    </ActionButton>
  )
}

export function CopyButton({
  text,
  children = 'Copy',
  label,
}: {
  text: string | (() => Promise<string>)
  children?: string
  /** Accessible name, if the button's text does not say what it copies. */
  label?: string
}) {
  const copy = async () => {
    await copyText(typeof text === 'string' ? text : await text())
    return 'Copied'
  }
  return (
    <ActionButton run={copy} label={label}>
      {children}
    </ActionButton>
  )
}

/** Copies text. On plain HTTP, where browsers have no clipboard API, copies a temporary selection. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <CopyButton text={text} label={`Copy: ${label}`} />
      <Scroller class="scroll" label={label}>
        <pre>{text}</pre>
      </Scroller>
    </div>
  )
}

/** Scrollable region, focusable so that it can be scrolled by keyboard. */
export function Scroller({
  class: className,
  label,
  children,
}: {
  class: string
  label: string
  children: ComponentChildren
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section class={className} tabIndex={0} aria-label={label}>
      {children}
    </section>
  )
}

export function Field({
  label,
  value,
  class: className,
}: {
  label: string
  value: Signal<string>
  /** CSS class of the label. `inline` puts the label next to the input instead of above it. */
  class?: string
}) {
  return (
    <label class={className}>
      {label}
      <input
        autocomplete="off"
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
    </label>
  )
}

const maxRows = 24

/** Multi-line input that grows with its text up to 24 lines, bound to a signal. */
export function TextArea({
  label,
  value,
  minRows = 3,
  isJson = false,
  ...more
}: {
  label: string
  value: Signal<string>
  minRows?: number
  /** If true, an error in the JSON is shown next to the label, so that the layout does not shift. */
  isJson?: boolean
  id?: string
  'aria-describedby'?: string
  onKeyUp?: () => void
  onClick?: () => void
}) {
  const lines = value.value.split('\n').length + 1
  const problem = isJson && value.value !== '' ? problemInJson(value.value) : ''
  return (
    <label>
      <span>
        {label} <span class="bad">{problem}</span>
      </span>
      <textarea
        {...more}
        aria-label={label}
        aria-invalid={problem !== ''}
        aria-description={problem}
        spellcheck={false}
        autocomplete="off"
        rows={Math.min(maxRows, Math.max(minRows, lines))}
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
        onKeyDown={({ key, ctrlKey, metaKey, currentTarget: { form } }) => {
          // Enter alone starts a new line.
          if (key === 'Enter' && (ctrlKey || metaKey))
            form?.querySelector<HTMLElement>('[type=submit]')?.click()
        }}
      />
    </label>
  )
}

function problemInJson(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return messageOf(error)
  }
}

/** Tabs as links. The selected tab is in the URL. */
export function Tabs({
  label,
  tabs,
  chosen,
  href,
}: {
  label: string
  tabs: readonly (readonly [id: string, title: string, count?: number])[]
  chosen: string
  href: (id: string) => string
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([id, title, count]) => (
        <a key={id} href={href(id)} aria-current={id === chosen ? 'page' : undefined}>
          {title}
          {count !== undefined && <span class="count"> {count}</span>}
        </a>
      ))}
    </nav>
  )
}

/** Renders text in backticks as code. */
export function withCode(text: string | null | undefined): ComponentChildren {
  return (text ?? '').split('`').map((part, index) => (index % 2 ? <code key={index}>{part}</code> : part))
}

/** Error message, which screen readers announce at once. */
export function Notice({ children }: { children: ComponentChildren }) {
  return (
    <p class="notice" role="alert">
      {children}
    </p>
  )
}

type Outcome = Pick<JournalEntry, 'status' | 'rules' | 'warnings'> & { delivery: string }

export function isError({ status, delivery, rules, warnings }: Outcome): boolean {
  const isIdle = warnings.some((each) => each.startsWith("'stream-error-event' found nothing to act on"))
  const hasErrorEvent = !isIdle && rules.some(({ faults }) => faults.includes('stream-error-event'))
  return status === 0 || status >= 400 || delivery === 'aborted-by-fault' || hasErrorEvent
}

/** A call's status, and its outcome if the reply failed or was cut short. */
export function Status({ call }: { call: Outcome }) {
  const { status, delivery } = call
  const kind = !isError(call) ? 'good' : status >= 400 && status < 500 ? 'warn' : 'bad'
  const cut = status ? 'cut' : 'no reply'
  const end = { pending: '…', 'aborted-by-fault': cut, 'aborted-by-client': 'aborted' }[delivery]
  const error = kind === 'bad' && status < 500 && 'error'
  return <span class={`status ${kind}`}>{[status, end ?? error].filter(Boolean).join(' ')}</span>
}

export function milliseconds(ms: number | null): string {
  if (ms === null) return '…'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`
}

export function timeOfDay(iso: string): string {
  const date = new Date(iso)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** Returns the path relative to the base URL, such as `/providers`. */
export function shortPath({ path }: { path: string }): string {
  return splitAddress(path).route ?? path
}

/** Formats a number of bytes, such as `1.2 kB`. */
export function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Indents JSON; returns other text unchanged. */
export function pretty(text: string): string {
  const value = parseJson(text)
  return value === undefined ? text : JSON.stringify(value, null, 2)
}
