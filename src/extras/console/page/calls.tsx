/** Live list of calls, next to the details of one call or the comparison of two. */
import { signal, useSignal } from '@preact/signals'
import { Fragment } from 'preact'
import { memo } from 'preact/compat'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { CallRow } from '../rows.ts'
import { Call } from './call.tsx'
import {
  type Column,
  calls,
  chosenCalls,
  clearCalls,
  columns,
  type Item,
  isAutoScrolling,
  isLoaded,
  isPaused,
  items,
  keyOf,
  members,
  order,
  pause,
  sandboxes,
  selected,
  shownCalls,
  terms,
  withName,
} from './calls-store.ts'
import { Compare } from './compare.tsx'
import { ExportMenu } from './export-menu.tsx'
import { failedTest } from './failed-test.ts'
import { FirstSteps } from './first-steps.tsx'
import { chosenSandbox, closed, go, hashWith, param } from './location.ts'
import { Menu } from './menu.tsx'
import { ActionButton, Empty, milliseconds, Status, shortPath, sizeOf } from './parts.tsx'
import { help, isError, mistakes, ruleName } from './search.ts'
import { type TimeAxis, timeAxis } from './time-axis.ts'

export function Calls() {
  const open = param('call')
  const other = param('with')
  useFocus(open)
  useEffect(() => {
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  }, [])
  const hasOneSandbox = chosenSandbox.value !== '*' || sandboxes.value.length === 1
  const hasDetails = open !== '' || other !== ''
  return (
    <div class={hasDetails ? 'calls open' : 'calls'}>
      <Toolbar />
      <div class="split">
        <section class={hasOneSandbox ? 'list single' : 'list'} aria-label="Calls">
          <List />
        </section>
        {other ? (
          <Compare />
        ) : (
          open && <Call key={`${param('in')} ${open}`} id={open} sandbox={param('in') || 'default'} />
        )}
      </div>
      <Totals />
    </div>
  )
}

function useFocus(open: string): void {
  const last = useRef('')
  useEffect(() => {
    if (open && !document.querySelector('.list')?.checkVisibility({ visibilityProperty: true }))
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
  const timer = useRef(0)
  const searched = useRef(query)
  // A search set elsewhere, such as by a link, replaces the typed text.
  useEffect(() => {
    if (query === searched.current) return
    clearTimeout(timer.current)
    searched.current = query
    text.value = query
  }, [query])
  const search = () => {
    clearTimeout(timer.current)
    if (text.value === searched.current) return
    searched.current = text.value
    go({ q: text.value }, { replace: true })
  }
  const wrong = mistakes(terms.value, chosenCalls.value)
  return (
    <div class="search grow">
      <input
        type="search"
        autocomplete="off"
        spellcheck={false}
        placeholder="Search calls and their bodies"
        aria-label="Search calls"
        aria-invalid={wrong.length > 0}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          text.value = value
          clearTimeout(timer.current)
          timer.current = window.setTimeout(search, searchAfterMs)
        }}
        // If another element gets the focus, the search waits: a click's target must not move before release.
        onBlur={({ relatedTarget }) => relatedTarget ?? search()}
      />
      <Menu label="Search help" title="?">
        <dl class="pairs">
          {help.map(([example, meaning]) => (
            <div key={example}>
              <dt>
                <a href={hashWith({ q: example })}>
                  <code>{example}</code>
                </a>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </Menu>
      <p class="card hint" role="status">
        {wrong.map(({ text, meant }) => (
          <span key={text}>
            {text} is not known. Did you mean{' '}
            <a href={hashWith({ q: query.replace(text, () => meant) })}>{meant}</a>?
          </span>
        ))}
      </p>
    </div>
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

/** Maximum width of a window with several lines per call, in pixels. */
const narrow = 760
const rowHeights = { wide: 32, narrow: 70 }
/** Rows are rendered in blocks. Unless the list scrolls by itself, a block above and one below are not visible. */
const block = 8

const wantedFocus = signal('')

function List() {
  const scroller = useRef<HTMLDivElement>(null)
  const size = useSignal({ isNarrow: innerWidth <= narrow, height: 800 })
  const scrollTop = useSignal(0)
  const list = items.value
  const { isNarrow, height } = size.value
  const rowHeight = isNarrow ? rowHeights.narrow : rowHeights.wide
  const autoScroll = isAutoScrolling.value
  const wanted = wantedFocus.value
  const view = [param('q'), param('sort'), param('group')].join(' ')
  const [open, openSandbox] = [param('call'), param('in')]
  const isOpen = (item: Item) => isCall(item) && item.id === open && item.sandbox === openSandbox
  /** The topmost visible row: its key, its index in the list, and the part of it that is above the list. */
  const anchor = useRef({ key: '', index: 0, offset: 0, view })
  const top = Math.min(positionOfAnchor(), Math.max(0, list.length * rowHeight - height))

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      size.value = { isNarrow: innerWidth <= narrow, height: element.clientHeight }
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [list.length === 0])
  useLayoutEffect(() => {
    const element = scroller.current
    // Reading or setting the position forces a layout, which a list that is at the top does not need.
    if (!element || (top === 0 && scrollTop.value === 0)) return
    element.scrollTop = top
    remember(element)
  }, [list, autoScroll, rowHeight, height, view])
  const openIndex = open ? list.findIndex(isOpen) : -1
  // The open row stays in view next to its details.
  useLayoutEffect(() => {
    if (openIndex >= 0) reveal(openIndex)
  }, [open, openSandbox, isNarrow, view, openIndex >= 0])
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
    const start = index * rowHeight
    const isAbove = start < element.scrollTop
    const isBelow = start + rowHeight > element.scrollTop + element.clientHeight
    if (isAbove) element.scrollTop = start
    if (isBelow) element.scrollTop = start + rowHeight - element.clientHeight
    remember(element)
  }
  /** Returns the position at which the anchor has not moved. A new search, order or grouping begins at the top. */
  function positionOfAnchor(): number {
    const { key, index, offset } = anchor.current
    if (autoScroll || anchor.current.view !== view) return 0
    const added = scrollTop.value > 0 ? list.slice(index).findIndex((item) => keyOfItem(item) === key) : 0
    return (index + Math.max(0, added)) * rowHeight + offset
  }
  function remember(element: HTMLElement): void {
    scrollTop.value = element.scrollTop
    const index = Math.floor(element.scrollTop / rowHeight)
    const offset = element.scrollTop - index * rowHeight
    anchor.current = { key: keyOfItem(list[index]), index, offset, view }
  }
  const onScroll = () => {
    const element = scroller.current
    if (!element) return
    remember(element)
    if (isAutoScrolling.value && element.scrollTop > 4) isAutoScrolling.value = false
  }

  const overscan = autoScroll ? 0 : block
  const first = Math.max(0, Math.floor(top / rowHeight / block) * block - overscan)
  const last = Math.ceil((top + height) / rowHeight / block) * block + overscan
  const visible = list.slice(first, last)
  const axis = useMemo(() => timeAxis(visible.filter(isCall)), [list, first, last])

  if (list.length === 0) return <NoCalls />
  const tabStop = visible.find(isOpen) ?? list.slice(Math.floor(top / rowHeight)).find(isCall)
  const place = hashWith({ call: undefined, in: undefined, with: undefined, within: undefined })
  return (
    <>
      <Headings axis={axis} />
      <div class={isNarrow ? 'scroller narrow' : 'scroller'} ref={scroller} onScroll={onScroll}>
        <ol
          class="rows"
          style={{
            height: `${list.length * rowHeight}px`,
            paddingTop: `${first * rowHeight}px`,
            '--cuts': axis.cuts.map(breakAt).join(),
          }}
        >
          {visible.map((item) =>
            isCall(item) ? (
              <Row
                key={keyOf(item)}
                call={item}
                axis={axis}
                place={place}
                isMember={members.value.has(item)}
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

/** Returns stops of a gradient that draws two lines at a shortened stretch of the time axis. */
function breakAt(position: number): string {
  const at = (pixels: number) => `calc(${position * 100}% + ${pixels}px)`
  return `#0000 ${at(-2)}, var(--edge) 0 ${at(-1)}, #0000 0 ${at(1)}, var(--edge) 0 ${at(2)}, #0000 0`
}

/** Figures of the calls that match the search. */
function Totals() {
  const [shown, all] = [shownCalls.value, chosenCalls.value]
  const [first, last] = [shown[0], shown.at(-1)]
  if (!first || !last) return null
  const errors = shown.filter(isError).length
  const tokens = shown.reduce((sum, call) => sum + call.tokens, 0)
  const bytes = shown.reduce((sum, call) => sum + call.bytes, 0)
  const count = (number: number, unit: string) =>
    `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`
  return (
    <p class="bar totals">
      <span>
        {shown.length < all.length && `${shown.length.toLocaleString('en')} of `}
        {count(all.length, 'call')}
      </span>
      {errors > 0 && <a href={hashWith({ q: `${param('q')} is:error`.trim() })}>{count(errors, 'error')}</a>}
      <span>{count(tokens, 'token')}</span>
      <span>{sizeOf(bytes)}</span>
      <span>
        {timeOfDay(first.startedAt).slice(0, 8)} to {timeOfDay(last.startedAt).slice(0, 8)}
      </span>
    </p>
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

function Headings({ axis: { ticks } }: { axis: TimeAxis }) {
  const { column: sorted, isDescending } = order.value
  return (
    <fieldset class="headings" aria-label="Sort by">
      {(Object.keys(columns) as Column[]).map((column) => {
        const isSorted = column === sorted
        // A third click returns to the newest calls first.
        const next = isSorted ? (isDescending ? column : undefined) : `-${column}`
        return (
          <Fragment key={column}>
            {column === 'model' && (
              <span
                class="ticks"
                title="When each call in view began and ended. Stretches in which nothing begins or ends are shortened where two lines are."
              >
                <span>0</span>
                {ticks.map((ms, index) => (
                  <span key={index}>{milliseconds(ms)}</span>
                ))}
              </span>
            )}
            <button
              type="button"
              class={`by-${column}`}
              aria-pressed={isSorted}
              onClick={() => go({ sort: next }, { replace: true })}
            >
              {columns[column][0]}
              {isSorted && (isDescending ? ' ↓' : ' ↑')}
            </button>
          </Fragment>
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
        <a href={hashWith({ q: '' })}>Clear search</a>
      </Empty>
    )
  return failedTest.value ? <Empty>The file has no calls.</Empty> : <FirstSteps />
}

const Row = memo(function Row({
  call,
  axis,
  place,
  isMember,
  isOpen,
  isSelected,
  isTabStop,
}: {
  call: CallRow
  axis: TimeAxis
  /** URL hash of the list without a call. */
  place: string
  /** If true, the call is below a heading. */
  isMember: boolean
  isOpen: boolean
  isSelected: boolean
  /** If true, the Tab key focuses this row. The other rows are reached with the arrow keys. */
  isTabStop: boolean
}) {
  const { method, status, model, stream, rules, delivery, warnings } = call
  const short = shortPath(call)
  const key = keyOf(call)
  return (
    <li class={`${isOpen ? 'chosen' : ''} ${isMember ? 'member' : ''}`}>
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
        href={`${place}${place.includes('?') ? '&' : '?'}call=${encodeURIComponent(call.id)}&in=${encodeURIComponent(call.sandbox)}`}
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
        <span class="duration">{milliseconds(call.durationMs)}</span>
        <Bar call={call} axis={axis} />
        <span class="model">{model ?? ''}</span>
        <span class="sandbox" title={withName(call.sandbox, call.sandboxName)}>
          {call.sandboxName ?? call.sandbox}
        </span>
        <span class="size">{call.bytes > 0 ? sizeOf(call.bytes) : ''}</span>
      </a>
    </li>
  )
})

/** Bar from a call's beginning to its end. The pale part ends at the first byte. A call that is not over has no end. */
function Bar({
  call: { startedAt, durationMs, firstByteMs },
  axis,
}: Pick<Parameters<typeof Row>[0], 'call' | 'axis'>) {
  const start = Date.parse(startedAt)
  const left = axis.at(start)
  const width = (durationMs === null ? 1 : axis.at(start + durationMs)) - left
  const wait = axis.at(start + (firstByteMs ?? durationMs ?? Number.POSITIVE_INFINITY)) - left
  const percent = (part: number) => `${(part * 100).toFixed(1)}%`
  return (
    <span class="bar-of" aria-hidden="true">
      <span style={{ left: percent(left), width: percent(width), '--wait': percent(wait / (width || 1)) }} />
    </span>
  )
}

function timeOfDay(iso: string): string {
  const date = new Date(iso)
  return `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`
}
