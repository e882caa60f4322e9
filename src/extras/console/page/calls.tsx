/**
 * Live list of calls with filters, and the details of one call.
 */
import { memo } from 'preact/compat'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { CallSummary } from '../../../journal/entry.ts'
import { Call } from './call.tsx'
import {
  calls,
  clearCalls,
  filter,
  isAutoScrolling,
  isPaused,
  keyOf,
  pause,
  ruleName,
  shownCalls,
} from './calls-store.ts'
import { chosenSandbox, go, hashWith, param } from './location.ts'
import { ActionButton, Empty, milliseconds, Status } from './parts.tsx'

const statuses = [
  ['', 'Any status'],
  ['2xx', '2xx'],
  ['4xx', '4xx'],
  ['5xx', '5xx'],
  ['aborted', 'Aborted'],
  ['unmatched', 'Unmatched'],
] as const

export function Calls() {
  const open = param('call')
  useFocus(open)
  return (
    <div class={open ? 'split open' : 'split'}>
      <section class="list" aria-label="Calls">
        <Filters />
        <List open={open} openSandbox={param('in')} />
      </section>
      {open && <Call id={open} sandbox={param('in') || 'default'} />}
    </div>
  )
}

/** Moves the focus to a call that replaces the list, and back to its row when the call is closed. */
function useFocus(open: string): void {
  const last = useRef('')
  useEffect(() => {
    if (open && !document.querySelector('.list')?.checkVisibility())
      document.querySelector<HTMLElement>('.detail')?.focus()
    if (!open && document.activeElement === document.body)
      [...document.querySelectorAll<HTMLElement>('.rows a')]
        .find(({ dataset }) => dataset['call'] === last.current)
        ?.focus()
    last.current = open
  }, [open])
}

function Filters() {
  const { operation, status, rule } = filter.value
  const operations = [...new Set(calls.value.map((call) => call.operation ?? 'none'))].sort()
  const rules = [...new Set(calls.value.map(ruleName))].filter(Boolean).sort()
  const change = (name: string) => (event: Event) =>
    go({ [name]: (event.currentTarget as HTMLInputElement).value }, { replace: true })
  return (
    <div class="bar">
      <input
        type="search"
        placeholder="Search calls  /"
        aria-label="Search calls"
        value={param('q')}
        onInput={change('q')}
      />
      <select aria-label="Operation" value={operation} onChange={change('operation')}>
        <option value="">Any operation</option>
        {[...new Set([...operations, operation])].filter(Boolean).map((each) => (
          <option key={each} value={each}>
            {each === 'none' ? 'No operation' : each}
          </option>
        ))}
      </select>
      <select aria-label="Status" value={status} onChange={change('status')}>
        {statuses.map(([value, title]) => (
          <option key={value} value={value}>
            {title}
          </option>
        ))}
      </select>
      <select aria-label="Rule" value={rule} onChange={change('rule')}>
        <option value="">Any rule</option>
        {[...new Set([...rules, rule])].filter(Boolean).map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <span class="grow" />
      <button
        type="button"
        aria-pressed={isAutoScrolling.value}
        onClick={() => {
          isAutoScrolling.value = !isAutoScrolling.value
        }}
      >
        Auto-scroll
      </button>
      <button type="button" aria-pressed={isPaused.value} onClick={() => pause(!isPaused.value)}>
        Pause
      </button>
      <ActionButton
        run={clearCalls}
        disabled={calls.value.length === 0}
        question={`Clear the calls of ${chosenSandbox.value === '*' ? 'all sandboxes' : `sandbox '${chosenSandbox.value}'`}? They are removed from the server.`}
      >
        Clear
      </ActionButton>
    </div>
  )
}

/** Lists calls, newest first. */
function List({ open, openSandbox }: { open: string; openSandbox: string }) {
  const scroller = useRef<HTMLDivElement>(null)
  /** Topmost visible row, and its offset in the list. */
  const anchor = useRef<{ row: HTMLElement; offset: number } | undefined>(undefined)
  const shown = shownCalls.value
  const newest = shown.at(-1)
  const autoScroll = isAutoScrolling.value
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const { row, offset } = anchor.current ?? {}
    if (autoScroll) element.scrollTop = 0
    // Keeps visible rows in place when newer calls are added above.
    else if (row?.isConnected && offset !== undefined) {
      element.scrollTop += row.offsetTop - offset
      anchor.current = { row, offset: row.offsetTop }
    }
  }, [newest && keyOf(newest), shown.length, autoScroll])
  const onScroll = () => {
    const element = scroller.current
    if (!element) return
    const { left, top } = element.getBoundingClientRect()
    const row = document.elementFromPoint(left + 8, top + 8)?.closest('li')
    anchor.current = row ? { row, offset: row.offsetTop } : undefined
    if (isAutoScrolling.value && element.scrollTop > 4) isAutoScrolling.value = false
  }
  if (shown.length === 0) return <NoCalls />
  const isOpen = (call: CallSummary) => call.id === open && call.sandbox === openSandbox
  const tabStop = shown.find(isOpen) ?? newest
  return (
    <div class="scroller" ref={scroller} onScroll={onScroll}>
      <ol class="rows" reversed>
        {shown.toReversed().map((call) => (
          <Row key={keyOf(call)} call={call} isOpen={isOpen(call)} isTabStop={call === tabStop} />
        ))}
      </ol>
    </div>
  )
}

function NoCalls() {
  if (calls.value.length > 0)
    return (
      <Empty>
        <p>No calls match</p>
        <a href={hashWith({ q: '', operation: '', status: '', rule: '' })}>Clear filters</a>
      </Empty>
    )
  return (
    <Empty>
      <p>No calls yet. New calls appear here as they arrive.</p>
      <pre>{`curl ${location.origin}/api/v1/providers -H 'authorization: Bearer any'`}</pre>
      <a href={hashWith({}, 'try')}>Send a request from the console</a>
    </Empty>
  )
}

const Row = memo(function Row({
  call,
  isOpen,
  isTabStop,
}: {
  call: CallSummary
  isOpen: boolean
  /** If true, the Tab key focuses this row. The other rows are reached with j and k or the arrow keys. */
  isTabStop: boolean
}) {
  const { operation, method, path, status, model, stream, durationMs, rule, delivery, warnings, unmatched } =
    call
  const short = path.replace(/^.*\/api\/v1(?=\/)/, '')
  return (
    <li>
      <a
        href={hashWith({ call: call.id, in: call.sandbox })}
        data-call={call.id}
        tabIndex={isTabStop ? 0 : -1}
        aria-current={isOpen ? 'true' : undefined}
        class={isOpen ? 'row chosen' : 'row'}
      >
        <time dateTime={call.startedAt}>{timeOfDay(call.startedAt)}</time>
        <Status status={status} delivery={delivery} />
        <span class="what">
          <span class="method">{method}</span> <span class="path">{short}</span>
        </span>
        <span class="operation">{operation ?? ''}</span>
        <span class="model">{model ?? ''}</span>
        <span class="streams">{stream ? 'stream' : ''}</span>
        <span class="rule">
          {rule && `${ruleName(call)} ${rule.faults.join(', ')} `}
          {unmatched && <span class="tag warn">unmatched</span>}{' '}
          {warnings > 0 && (
            <span class="tag warn">
              {warnings} {warnings === 1 ? 'warning' : 'warnings'}
            </span>
          )}
        </span>
        <span class="sandbox">{call.sandbox}</span>
        <span class="duration">{milliseconds(durationMs)}</span>
      </a>
    </li>
  )
})

function timeOfDay(iso: string): string {
  const date = new Date(iso)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}
