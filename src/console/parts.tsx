/**
 * Small parts that several screens have.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { messageOf } from './api.ts'

/** Text that people copy: a code block with a button. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <CopyButton text={text} />
      {/* Reached by keyboard, because it scrolls. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section class="scroll" tabIndex={0} aria-label={label}>
        <pre>{text}</pre>
      </section>
    </div>
  )
}

export function CopyButton({
  text,
  children = 'Copy',
}: {
  text: string | (() => Promise<string>)
  children?: string
}) {
  const said = useSignal('')
  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : await text())
      said.value = 'Copied'
    } catch (error) {
      said.value = messageOf(error)
    }
    setTimeout(() => {
      said.value = ''
    }, 3000)
  }
  return (
    <span class="copy">
      <button type="button" onClick={copy}>
        {children}
      </button>
      <span role="status">{said}</span>
    </span>
  )
}

/** Also on a page of plain HTTP, where browsers have no clipboard. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** Does something when it is pressed, and says what went wrong, or what came of it. */
export function ActionButton({
  run,
  children,
  danger = false,
  disabled = false,
}: {
  run: () => Promise<unknown>
  children: ComponentChildren
  danger?: boolean
  disabled?: boolean
}) {
  const said = useSignal('')
  const isBusy = useSignal(false)
  const act = async () => {
    isBusy.value = true
    try {
      const told = await run()
      said.value = typeof told === 'string' ? told : ''
    } catch (error) {
      said.value = messageOf(error)
    }
    isBusy.value = false
  }
  return (
    <span class="copy">
      <button
        type="button"
        class={danger ? 'danger' : undefined}
        disabled={disabled || isBusy.value}
        onClick={act}
      >
        {children}
      </button>
      <span role="status">{said}</span>
    </span>
  )
}

export function Notice({ children }: { children: ComponentChildren }) {
  return (
    <p class="notice" role="alert">
      {children}
    </p>
  )
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}

/** Tabs that links choose: the chosen one is in the URL. */
export function Tabs({
  label,
  tabs,
  chosen,
  href,
}: {
  label: string
  tabs: readonly (readonly [id: string, title: string])[]
  chosen: string
  href: (id: string) => string
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([id, title]) => (
        <a key={id} href={href(id)} aria-current={id === chosen ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}

export function Status({ status, delivery }: { status: number; delivery: string }) {
  const kind =
    status === 0 || delivery === 'cut' ? 'bad' : status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good'
  const text = status === 0 ? 'none' : String(status)
  const more = { pending: ' …', cut: ' cut', 'client-left': ' left', complete: '' }[delivery] ?? ''
  return <span class={`status ${kind}`}>{text + more}</span>
}

/** What a promise gives, asked again when the dependencies change. */
export function useLoaded<Value>(load: () => Promise<Value>, dependencies: readonly unknown[]) {
  const value = useSignal<Value | undefined>(undefined)
  const problem = useSignal('')
  const turn = useRef(0)
  const reload = () => {
    const mine = ++turn.current
    load().then(
      (loaded) => {
        if (mine !== turn.current) return
        value.value = loaded
        problem.value = ''
      },
      (error) => {
        if (mine !== turn.current) return
        value.value = undefined
        problem.value = messageOf(error)
      },
    )
  }
  useEffect(reload, dependencies)
  return { value: value.value, problem: problem.value, reload }
}

export function milliseconds(ms: number | null): string {
  if (ms === null) return '…'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  return ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

export function timeOfDay(iso: string): string {
  const date = new Date(iso)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** JSON as people read it; other text as it is. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
