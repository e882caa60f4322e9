/** Live list of calls, next to the details of one call or the comparison of two. */
import { signal, useSignal } from '@preact/signals'
import { memo } from 'preact/compat'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { CallRow } from '../rows.ts'
import { Call } from './call.tsx'
import {
  type Column,
  calls,
  chosenCalls,
  clearCalls,
  columns,
  durationScale,
  type Item,
  isAutoScrolling,
  isLoaded,
  isPaused,
  items,
  keyOf,
  order,
  pause,
  selected,
  withName,
} from './calls-store.ts'
import { Compare } from './compare.tsx'
import { ExportMenu } from './export-menu.tsx'
import { failedTest } from './failed-test.ts'
import { FirstSteps } from './first-steps.tsx'
import { chosenSandbox, closed, go, hashWith, param } from './location.ts'
import { ActionButton, Empty, milliseconds, Status, shortPath, sizeOf } from './parts.tsx'
import { completions, fieldNames, ruleName, unknownFields } from './search.ts'

export function Calls() {
  const open = param('call')
  const other = param('with')
  useFocus(open)
  useEffect(() => {
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  }, [])
  const hasDetails = open !== '' || other !== ''
  return (
    <div class={hasDetails ? 'split open' : 'split'}>
      <section class="list" aria-label="Calls">
        <Toolbar />
        <List />
      </section>
      {other ? (
        <Compare />
      ) : (
        open && <Call key={`${param('in')} ${open}`} id={open} sandbox={param('in') || 'default'} />
      )}
    </div>
  )
}

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

/** Pause in typing after which the list is searched, in milliseconds. */
const searchAfterMs = 100

/** Search field. The list and the URL follow when typing pauses, because each change renders all visible rows. */
function SearchField() {
  const query = param('q')
  const text = useSignal(query)
  const options = useSignal<readonly string[]>([])
  const timer = useRef(0)
  const searched = useRef(query)
  // A search set elsewhere, such as by a link, replaces the typed text.
  useEffect(() => {
    if (query === searched.current) return
    clearTimeout(timer.current)
    searched.current = query
    text.value = query
  }, [query])
  const complete = () => {
    options.value = completions(text.value, chosenCalls.peek())
  }
  const search = () => {
    clearTimeout(timer.current)
    if (text.value === searched.current) return
    searched.current = text.value
    go({ q: text.value }, { replace: true })
    complete()
  }
  return (
    <>
      <input
        class="grow"
        type="search"
        list="completions"
        autocomplete="off"
        spellcheck={false}
        placeholder="Search, e.g. status:429"
        aria-label="Search calls"
        value={text}
        onFocus={complete}
        onInput={({ currentTarget: { value } }) => {
          text.value = value
          clearTimeout(timer.current)
          timer.current = window.setTimeout(search, searchAfterMs)
        }}
        // If another element gets the focus, the search waits: a click's target must not move before release.
        onBlur={({ relatedTarget }) => relatedTarget ?? search()}
      />
      <datalist id="completions">
        {options.value.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </>
  )
}

function Toolbar() {
  const count = selected.value.size
  const clearable = chosenCalls.value.length
  const isLive = !failedTest.value
  return (
    <div class="bar">
      <SearchField />
      <select
        aria-label="Group by"
        value={param('group')}
        onChange={({ currentTarget: { value } }) => go({ group: value }, { replace: true })}
      >
        <option value="">No grouping</option>
        <option value="conversation">By conversation</option>
        <option value="trace">By trace</option>
      </select>
      {isLive && <LiveButtons />}
      {count === 2 && (
        <a class="button" href={compareHash()}>
          Compare
        </a>
      )}
      {count > 0 && (
        <button type="button" onClick={() => (selected.value = new Set())}>
          Deselect {count}
        </button>
      )}
      {isLive && (
        <ActionButton
          run={clearCalls}
          disabled={clearable === 0}
          question={`Clear all calls in ${chosenSandbox.value === '*' ? 'all sandboxes' : `sandbox '${chosenSandbox.value}'`}${param('q') && ', not only those that match the search'}? They are removed from the server.`}
        >
          {`Clear ${clearable === 1 ? '1 call' : `all ${clearable.toLocaleString('en')} calls`}`}
        </ActionButton>
      )}
    </div>
  )
}

function LiveButtons() {
  return (
    <>
      <button
        type="button"
        aria-pressed={isAutoScrolling.value}
        onClick={() => (isAutoScrolling.value = !isAutoScrolling.value)}
      >
        Auto-scroll
      </button>
      <button type="button" aria-pressed={isPaused.value} onClick={() => pause(!isPaused.value)}>
        Pause
      </button>
      <ExportMenu />
    </>
  )
}

function compareHash(): string {
  const [first, second] = calls.value.filter((call) => selected.value.has(keyOf(call)))
  return hashWith({ call: first?.id, in: first?.sandbox, with: second?.id, within: second?.sandbox })
}

/** Minimum width of a list with one line per call, in pixels. Narrower lists show each call in two lines. */
const narrow = 640
const rowHeights = { wide: 32, narrow: 56 }
/** Rows rendered above and below the visible ones. */
const overscan = 8

const wantedFocus = signal('')

function List() {
  const scroller = useRef<HTMLDivElement>(null)
  const size = useSignal({ width: 1000, height: 800 })
  const scrollTop = useSignal(0)
  const list = items.value
  const isNarrow = size.value.width < narrow
  const rowHeight = isNarrow ? rowHeights.narrow : rowHeights.wide
  const autoScroll = isAutoScrolling.value
  const wanted = wantedFocus.value
  const [open, openSandbox] = [param('call'), param('in')]
  const isOpen = (item: Item) => isCall(item) && item.id === open && item.sandbox === openSandbox
  /** Key of the topmost visible row, and its index in the list. */
  const anchor = useRef({ key: '', index: 0 })
  /** Height of the calls added above the visible rows, by which the list is scrolled after rendering. */
  const added = autoScroll ? 0 : rowHeight * Math.max(0, rowsAbove())
  const top = scrollTop.value + added

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      size.value = { width: element.clientWidth, height: element.clientHeight }
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [list.length === 0])
  useLayoutEffect(() => {
    const element = scroller.current
    // Reading or setting the position forces a layout, which a list that is at the top does not need.
    if (!element || (autoScroll && scrollTop.value === 0)) return
    if (autoScroll) element.scrollTop = 0
    else if (added > 0) element.scrollTop += added
    scrollTop.value = element.scrollTop
    remember()
  }, [list, autoScroll])
  // The open row stays in view next to its details.
  useLayoutEffect(() => {
    const index = open ? list.findIndex(isOpen) : -1
    if (index >= 0) reveal(index)
  }, [open, openSandbox, isNarrow])
  useLayoutEffect(() => {
    if (!wanted) return
    const index = list.findIndex((item) => keyOfItem(item) === wanted)
    if (index >= 0) reveal(index)
    const row = [...document.querySelectorAll<HTMLElement>('.rows a')].find(
      ({ dataset }) => dataset['key'] === wanted,
    )
    if (!row) return
    row.focus({ preventScroll: true })
    wantedFocus.value = ''
  })

  function reveal(index: number): void {
    const element = scroller.current
    if (!element) return
    const top = index * rowHeight
    const isAbove = top < element.scrollTop
    const isBelow = top + rowHeight > element.scrollTop + element.clientHeight
    if (isAbove) element.scrollTop = top
    if (isBelow) element.scrollTop = top + rowHeight - element.clientHeight
    scrollTop.value = element.scrollTop
  }
  function rowsAbove(): number {
    const { key, index } = anchor.current
    return list.slice(index).findIndex((item) => keyOfItem(item) === key)
  }
  function remember(): void {
    const index = Math.floor((scroller.current?.scrollTop ?? 0) / rowHeight)
    anchor.current = { key: keyOfItem(list[index]), index }
  }
  const onScroll = () => {
    const element = scroller.current
    if (!element) return
    scrollTop.value = element.scrollTop
    remember()
    if (isAutoScrolling.value && element.scrollTop > 4) isAutoScrolling.value = false
  }

  if (list.length === 0) return <NoCalls />
  const first = Math.max(0, Math.floor(top / rowHeight) - overscan)
  const last = Math.ceil((top + size.value.height) / rowHeight) + overscan
  const visible = list.slice(first, last)
  const tabStop = visible.find(isOpen) ?? list.slice(Math.floor(top / rowHeight)).find(isCall)
  const scale = durationScale.value
  return (
    <>
      <Headings />
      <div class={isNarrow ? 'scroller narrow' : 'scroller'} ref={scroller} onScroll={onScroll}>
        <ol
          class="rows"
          style={{ height: `${list.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
        >
          {visible.map((item) =>
            isCall(item) ? (
              <Row
                key={keyOf(item)}
                call={item}
                scale={scale}
                isOpen={isOpen(item)}
                isSelected={selected.value.has(keyOf(item))}
                isTabStop={item === tabStop}
              />
            ) : (
              <li key={item.group} class="group">
                <strong>{item.group}</strong> <span class="muted">{item.count}</span>
              </li>
            ),
          )}
        </ol>
      </div>
    </>
  )
}

function isCall(item: Item): item is CallRow {
  return 'id' in item
}

function keyOfItem(item: Item | undefined): string {
  return item === undefined ? '' : isCall(item) ? keyOf(item) : item.group
}

/** Moves the focus by a number of rows. If call details are open, they follow the focus. */
function step(by: number): void {
  const list = items.value.filter(isCall)
  const { key } = (document.activeElement as HTMLElement).dataset
  const focused = list.findIndex((call) => keyOf(call) === key)
  const isShown = (call: CallRow) => call.id === param('call') && call.sandbox === param('in')
  const from = focused >= 0 ? focused : list.findIndex(isShown)
  const next = list[from < 0 ? 0 : Math.max(0, Math.min(list.length - 1, from + by))]
  if (!next) return
  wantedFocus.value = keyOf(next)
  if (param('call') && !param('with')) go({ call: next.id, in: next.sandbox }, { replace: true })
}

function toggle(key: string): void {
  const next = new Set(selected.value)
  if (!next.delete(key)) next.add(key)
  selected.value = next
}

const steps: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** The arrow keys move through the list, Escape closes a call. */
function handleKey(event: KeyboardEvent): void {
  const { key, target } = event
  const element = target as HTMLElement
  if (document.querySelector('dialog[open]') || element.matches('input, textarea, select')) return
  const by = steps[key]
  if (key === 'Escape') go(closed)
  else if (by !== undefined && element.matches('.rows a')) {
    event.preventDefault()
    step(by)
  }
}

function Headings() {
  const { column: sorted, isDescending } = order.value
  return (
    <fieldset class="headings" aria-label="Sort by">
      {(Object.keys(columns) as Column[]).map((column) => {
        const isSorted = column === sorted
        // A third click returns to the newest calls first.
        const next = isSorted ? (isDescending ? column : undefined) : `-${column}`
        return (
          <button
            key={column}
            type="button"
            class={`by-${column}`}
            aria-pressed={isSorted}
            onClick={() => go({ sort: next }, { replace: true })}
          >
            {columns[column][0]}
            {isSorted && (isDescending ? ' ↓' : ' ↑')}
          </button>
        )
      })}
    </fieldset>
  )
}

function NoCalls() {
  if (!isLoaded.value) return null
  if (chosenCalls.value.length > 0 || param('q'))
    return (
      <Empty>
        <p>No calls match</p>
        {unknownFields(param('q')).map((field) => (
          <p key={field}>
            '{field}:' is not a search term. Terms: {fieldNames.join(', ')}.
          </p>
        ))}
        <a href={hashWith({ q: '' })}>Clear search</a>
      </Empty>
    )
  return failedTest.value ? <Empty>The file has no calls.</Empty> : <FirstSteps />
}

const Row = memo(function Row({
  call,
  scale,
  isOpen,
  isSelected,
  isTabStop,
}: {
  call: CallRow
  /** Duration of a full bar in milliseconds. */
  scale: number
  isOpen: boolean
  isSelected: boolean
  /** If true, the Tab key focuses this row. The other rows are reached with the arrow keys. */
  isTabStop: boolean
}) {
  const { method, status, model, stream, durationMs, firstByteMs, rules, delivery, warnings } = call
  const short = shortPath(call)
  const key = keyOf(call)
  return (
    <li class={isOpen ? 'chosen' : undefined}>
      <label class="check">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${method} ${short}`}
          checked={isSelected}
          onChange={() => toggle(key)}
        />
      </label>
      <a
        href={hashWith({ call: call.id, in: call.sandbox, with: undefined, within: undefined })}
        data-call={call.id}
        data-key={key}
        tabIndex={isTabStop ? 0 : -1}
        aria-current={isOpen ? 'true' : undefined}
        class="row"
      >
        <time>{timeOfDay(call.startedAt)}</time>
        <Status status={status} delivery={delivery} />
        <span class="what">
          <span class="method">{method}</span> <span class="path">{short}</span>
          {stream && <span class="tag">stream</span>}
        </span>
        <span class="input">{call.input}</span>
        <span class="model">{model ?? ''}</span>
        <span class="size">{call.bytes > 0 ? sizeOf(call.bytes) : ''}</span>
        <span class="rule">
          {rules.length > 0 && (
            <span class="name">{`${ruleName(call)} ${rules.flatMap(({ faults }) => faults).join(', ')}`}</span>
          )}
          {call.unmatched && <span class="tag warn">unmatched</span>}
          {warnings > 0 && (
            <span class="tag warn">
              {warnings} {warnings === 1 ? 'warning' : 'warnings'}
            </span>
          )}
        </span>
        <span class="sandbox" title={call.sandboxName ?? undefined}>
          {withName(call.sandbox, call.sandboxName)}
        </span>
        <Bar durationMs={durationMs} firstByteMs={firstByteMs} scale={scale} />
        <span class="duration">{milliseconds(durationMs)}</span>
      </a>
    </li>
  )
})

/** Bar whose length is the call's duration. The pale part ends at the first byte. */
function Bar({
  durationMs,
  firstByteMs,
  scale,
}: Pick<CallRow, 'durationMs' | 'firstByteMs'> & { scale: number }) {
  const percent = (ms: number) => `${Math.min(100, (ms / scale) * 100)}%`
  const end = durationMs ?? scale
  return (
    <span class="bar-of" aria-hidden="true">
      <span style={{ width: percent(end) }} />
      <span style={{ width: percent(Math.min(end, firstByteMs ?? end)) }} />
    </span>
  )
}

function timeOfDay(iso: string): string {
  const date = new Date(iso)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}
