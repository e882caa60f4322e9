/** Live list of calls, next to the details of one call or the comparison of two. */
import { signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { CallRow } from '../rows.ts'
import { Call } from './call.tsx'
import {
  type Column,
  calls,
  chosenCalls,
  clearCalls,
  columns,
  type Item,
  isLoaded,
  isSearched,
  items,
  keyOf,
  order,
  pausedCalls,
  selected,
  shownCalls,
  terms,
  togglePause,
  withName,
} from './calls-store.ts'
import { Compare } from './compare.tsx'
import { exportCalls } from './export-calls.ts'
import { failedTest } from './failed-test.ts'
import { FirstSteps } from './first-steps.tsx'
import { chosenSandbox, closed, go, hashWith, param } from './location.ts'
import { ActionButton, focus, isError, milliseconds, Status, shortPath, sizeOf, timeOfDay } from './parts.tsx'
import { fieldList, help, mistakes, ruleName } from './search.ts'

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
    <div class={hasDetails ? 'calls open' : 'calls'}>
      <Toolbar />
      <div class="split">
        <section class="list" aria-label="Calls">
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
    const isHidden = !document.querySelector('.list')?.checkVisibility({ visibilityProperty: true })
    // The focused element was removed, such as the button that sent the call which is open now.
    const isLost = last.current !== '' && document.activeElement === document.body
    if (open && (isHidden || isLost)) focus('.detail')
    if (!open && isLost) focus(`.rows [data-call="${CSS.escape(last.current)}"]`)
    last.current = open
  }, [open])
}

/** Pause in typing after which the list is searched, in milliseconds. */
const searchAfterMs = 100

const hideHelp = () => document.getElementById('search-help')?.hidePopover()

/** Search field. The list and URL change when typing pauses, because each change renders all visible rows. */
function SearchField() {
  const query = param('q')
  const text = useSignal(query)
  const timer = useRef(0)
  // A search set elsewhere, such as by a link, replaces the typed text.
  useEffect(() => {
    if (timer.current === 0) text.value = query
  }, [query])
  const search = () => {
    timer.current = 0
    go({ q: text.value }, { replace: true })
  }
  const wrong = mistakes(terms.value, chosenCalls.value)
  return (
    <div class="search grow">
      <input
        class="grow"
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
        onKeyDown={({ key }) => {
          if (key !== 'Enter' && key !== 'ArrowDown') return
          clearTimeout(timer.current)
          search()
          step(Number.NEGATIVE_INFINITY)
        }}
      />
      <button type="button" aria-label="Search help" popovertarget="search-help">
        ?
      </button>
      <div id="search-help" popover="auto">
        <dl class="pairs">
          {help.map(([example, meaning]) => (
            <div key={example}>
              <dt>
                <a href={hashWith({ q: example })} onClick={hideHelp}>
                  <code>{example}</code>
                </a>
              </dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      </div>
      <p class="card hint" role="status">
        {wrong.map(({ text, meant, isFar }) => (
          <span key={text}>
            {text} is not known. Did you mean{' '}
            <a href={hashWith({ q: query.replace(text, () => meant) })}>{meant}</a>?{isFar && fieldList}
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
  const newer = Math.max(0, calls.value.length - (pausedCalls.value ?? calls.value).length)
  return (
    <div class="bar">
      {/* Buttons whose text changes come first: the search field makes room for them, and the others stay in place. */}
      <SearchField />
      {isLive && (
        <button type="button" aria-pressed={pausedCalls.value !== undefined} onClick={togglePause}>
          {pausedCalls.value ? `Paused: ${newer} new` : 'Pause'}
        </button>
      )}
      {isLive && <ExportButton />}
      <button type="button" disabled={count === 0} onClick={() => (selected.value = new Set())}>
        Deselect
      </button>
      {count === 2 ? (
        <a class="button" href={compareHash()}>
          Compare
        </a>
      ) : (
        <button type="button" disabled title="Select two calls: tick them, or press Space on each">
          Compare
        </button>
      )}
      <select
        aria-label="Group by"
        value={param('group')}
        onChange={({ currentTarget: { value } }) => go({ group: value }, { replace: true })}
      >
        <option value="">No grouping</option>
        <option value="conversation">By conversation</option>
        <option value="trace">By trace</option>
      </select>
      {isLive && (
        <ActionButton
          run={clearCalls}
          disabled={clearable === 0}
          question={`Clear all calls in ${chosenSandbox.value === '*' ? 'all sandboxes' : `sandbox '${chosenSandbox.value}'`}${param('q') && ', not only those that match the search'}? They are removed from the server.`}
        >
          {`Clear ${clearable === 1 ? '' : 'all '}${counted(clearable, 'call')}`}
        </ActionButton>
      )}
    </div>
  )
}

/** Exports the selected calls, or all calls that match the search. */
function ExportButton() {
  // Functions must not use `list`: virtual nodes can keep them, and all calls, after Clear. As in `Rows`.
  const read = () => {
    const chosen = selected.value.size > 0 ? calls.value.filter((row) => selected.value.has(keyOf(row))) : []
    return chosen.length > 0 ? chosen : shownCalls.value
  }
  const list = read()
  return (
    <ActionButton run={() => exportCalls(read())} disabled={list.length === 0}>
      {`Export ${counted(list.length, list === shownCalls.value ? 'call' : 'selected call')}`}
    </ActionButton>
  )
}

function compareHash(): string {
  const [first, second] = calls.value.filter((call) => selected.value.has(keyOf(call)))
  return hashWith({ call: first?.id, in: first?.sandbox, with: second?.id, within: second?.sandbox })
}

const rowHeight = 32
const headingsHeight = 30
/** Number of rows in a block. One block above and one below the visible rows are rendered as well. */
const block = 4

const wantedFocus = signal('')
/** Key of the row that last had the focus. The Tab key returns to it. */
const lastFocused = signal('')

function List() {
  return items.value.length === 0 ? <NoCalls /> : <Rows />
}

function Rows() {
  const scroller = useRef<HTMLDivElement>(null)
  /** Height of the visible part of the list, in pixels. */
  const height = useSignal(800)
  const scrollTop = useSignal(0)
  const list = items.value
  const wanted = wantedFocus.value
  const view = [param('q'), param('sort'), param('group')].join(' ')
  const [open, openSandbox] = [param('call'), param('in')]
  const isOpen = (item: Item) => isCall(item) && item.id === open && item.sandbox === openSandbox
  const openIndex = open ? list.findIndex(isOpen) : -1
  /** The topmost visible row: its key, its index in the list, and how much of it is scrolled out of view. */
  const anchor = useRef({ key: '', index: 0, offset: 0, view })
  /** Key of the first row when it was last visible. */
  const newest = useRef('')
  const top = Math.min(positionOfAnchor(), Math.max(0, list.length * rowHeight - height.value))

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight - headingsHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  useLayoutEffect(() => {
    // Reading or setting the position forces a layout, which a list that is at the top does not need.
    if (top > 0 || scrollTop.value > 0) scrollTo(top)
  }, [list, height.value, view])
  // The open row stays in view next to its details.
  useLayoutEffect(() => {
    if (openIndex >= 0) reveal(openIndex)
  }, [open, openSandbox, view, openIndex >= 0])
  useLayoutEffect(() => {
    if (!wanted) return
    const index = items.value.findIndex((item) => keyOfItem(item) === wanted)
    if (index >= 0) reveal(index)
    const row = document.querySelector<HTMLElement>(`.rows [data-key="${CSS.escape(wanted)}"]`)
    if (!row) return
    row.focus({ preventScroll: true })
    wantedFocus.value = ''
  })

  function scrollTo(position: number): void {
    const element = scroller.current
    if (!element) return
    element.scrollTop = position
    remember(element.scrollTop)
  }
  function reveal(index: number): void {
    const start = index * rowHeight
    const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {}
    const room = clientHeight - headingsHeight - rowHeight
    scrollTo(Math.min(start, Math.max(scrollTop, start - room)))
  }
  /**
   * Returns the scroll position at which the anchor appears not to have moved. At the top, the list shows the newest
   * calls. A new search, order or grouping starts at the top.
   */
  function positionOfAnchor(): number {
    const { key, index, offset } = anchor.current
    if (scrollTop.value === 0 || anchor.current.view !== view) return 0
    const added = items.value.slice(index).findIndex((item) => keyOfItem(item) === key)
    return (index + Math.max(0, added)) * rowHeight + offset
  }
  function remember(position: number): void {
    scrollTop.value = position
    const index = Math.floor(position / rowHeight)
    anchor.current = { key: keyOfItem(items.value[index]), index, offset: position - index * rowHeight, view }
  }

  const first = Math.max(0, Math.floor(top / rowHeight / block - 1) * block)
  const last = Math.ceil((top + height.value) / rowHeight / block + 1) * block
  const visible = list.slice(first, last)
  const axis = axisOf(visible.filter(isCall))
  const tabStop =
    visible.find(isOpen) ??
    visible.find((item) => keyOfItem(item) === lastFocused.value) ??
    list.slice(Math.floor(top / rowHeight)).find(isCall)
  if (top === 0) newest.current = keyOfItem(list[0])
  const added = top > 0 ? list.findIndex((item) => keyOfItem(item) === newest.current) : 0
  return (
    <div class="scroller" ref={scroller} onScroll={({ currentTarget }) => remember(currentTarget.scrollTop)}>
      {added > 0 && (
        <button
          type="button"
          class="primary added"
          onClick={() => (wantedFocus.value = keyOfItem(items.value[0]))}
        >
          {counted(added, 'new call')} ↑
        </button>
      )}
      <Headings axis={axis} />
      <ol
        class="rows"
        onFocusIn={({ target }) => (lastFocused.value = (target as HTMLElement).dataset['key'] ?? '')}
        style={{ height: `${list.length * rowHeight}px`, paddingTop: `${first * rowHeight}px` }}
      >
        {visible.map((item) =>
          isCall(item) ? (
            <Row
              key={keyOf(item)}
              call={item}
              axis={axis}
              isOpen={isOpen(item)}
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
  )
}

/** Time axis shared by the visible calls, in milliseconds. */
interface TimeAxis {
  /** Start position of each call. */
  begins: ReadonlyMap<CallRow, number>
  duration: number
}

/** Lays out calls on a time axis. Pauses are shortened to the duration of the longest call. */
function axisOf(calls: readonly CallRow[]): TimeAxis {
  const longest = Math.max(1, ...calls.map(({ durationMs }) => durationMs ?? 0))
  const begins = new Map<CallRow, number>()
  let [end, omitted] = [-longest, 0]
  const starts = calls.map((call) => [Date.parse(call.startedAt), call] as const)
  for (const [start, call] of starts.sort(([left], [right]) => left - right)) {
    omitted += Math.max(0, start - end - longest)
    begins.set(call, start - omitted)
    end = Math.max(end, start + (call.durationMs ?? 0))
  }
  return { begins, duration: Math.max(1, end - omitted) }
}

/** Totals for the calls that match the search. */
function Totals() {
  const [shown, all] = [shownCalls.value, chosenCalls.value]
  if (shown.length === 0) return null
  const errors = shown.filter(isError).length
  const sum = (field: 'tokens' | 'bytes') => shown.reduce((total, call) => total + call[field], 0)
  return (
    <p class="bar totals">
      <span>
        {shown.length < all.length && `${shown.length.toLocaleString('en')} of `}
        {counted(all.length, 'call')}
      </span>
      {errors > 0 && (
        <a href={hashWith({ q: `${param('q')} is:error`.trim() })}>{counted(errors, 'error')}</a>
      )}
      <span>{counted(sum('tokens'), 'token')}</span>
      <span>{sizeOf(sum('bytes'))}</span>
      {!isSearched.value && <span class="late">Searching…</span>}
    </p>
  )
}

function counted(number: number, unit: string): string {
  return `${number.toLocaleString('en')} ${unit}${number === 1 ? '' : 's'}`
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
  const from = list.findIndex((call) => keyOf(call) === key)
  const next = list[Math.max(0, Math.min(list.length - 1, from + by))]
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

/** The arrow keys move through the list, Space selects a call, Escape closes it. */
function handleKey(event: KeyboardEvent): void {
  const { key, target } = event
  const element = target as HTMLElement
  if (document.querySelector('dialog[open], :popover-open') || element.matches('input, textarea, select'))
    return
  const by = steps[key]
  if (key === 'Escape') go(closed)
  if (!element.matches('.rows a') || (by === undefined && key !== ' ')) return
  event.preventDefault()
  if (by === undefined) toggle(element.dataset['key'] ?? '')
  else step(by)
}

function Headings({ axis }: { axis: TimeAxis }) {
  const { column: sorted, isDescending } = order.value
  return (
    <fieldset class="headings" aria-label="Sort by">
      {(Object.keys(columns) as Column[]).map((column) => {
        const isSorted = column === sorted
        return (
          <button
            key={column}
            type="button"
            aria-pressed={isSorted}
            onClick={() => go({ sort: isSorted && isDescending ? column : `-${column}` }, { replace: true })}
          >
            {columns[column][0]}
            {isSorted && (isDescending ? ' ↓' : ' ↑')}
          </button>
        )
      })}
      <span class="ticks" title="When each call in view began and ended, with shortened pauses">
        <span>0</span>
        <span>{milliseconds(axis.duration)}</span>
      </span>
    </fieldset>
  )
}

function NoCalls() {
  if (!isLoaded.value) return null
  if (chosenCalls.value.length > 0 || param('q'))
    return (
      <div class="empty">
        <p>{isSearched.value ? 'No calls match' : 'Searching…'}</p>
        <a href={hashWith({ q: '' })}>Clear search</a>
        {chosenSandbox.value !== '*' && <a href={hashWith({ sandbox: undefined })}>Search all sandboxes</a>}
      </div>
    )
  return failedTest.value ? <div class="empty">The file has no calls.</div> : <FirstSteps />
}

function Row({
  call,
  axis,
  isOpen,
  isTabStop,
}: {
  call: CallRow
  axis: TimeAxis
  isOpen: boolean
  /** If true, the Tab key focuses this row. The other rows are reached with the arrow keys. */
  isTabStop: boolean
}) {
  const { method, model, stream, rules, warnings } = call
  const short = shortPath(call)
  const key = keyOf(call)
  return (
    <li class={isOpen ? 'chosen' : undefined}>
      <label class="check">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${method} ${short}`}
          checked={selected.value.has(key)}
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
        <Status call={call} />
        <span class="what">
          <span class="method">{method}</span> <span class="path">{short}</span>
          {stream && <span class="tag">stream</span>}
        </span>
        <span class="input">{call.input}</span>
        <span class="rule warn">
          {rules.length > 0 && (
            <span class="name">{`${ruleName(call)} ${rules.flatMap(({ faults }) => faults).join(', ')}`}</span>
          )}
          {call.unmatched && <span class="tag warn">unmatched</span>}
          {warnings.length > 0 && (
            <span class="tag warn warning" title={warnings.join('\n')}>
              {warnings[0]}
            </span>
          )}
        </span>
        <span class="duration">{milliseconds(call.durationMs)}</span>
        <span class="model" title={model ?? ''}>
          <bdi>{model}</bdi>
        </span>
        <span
          class={call.sandboxName ? 'sandbox named' : 'sandbox'}
          title={withName(call.sandbox, call.sandboxName)}
        >
          <bdi>{call.sandboxName ?? call.sandbox}</bdi>
        </span>
        <span class="size">{call.bytes > 0 ? sizeOf(call.bytes) : ''}</span>
        <Bar call={call} axis={axis} />
      </a>
    </li>
  )
}

/** Bar from the start of a call to its end. The pale part ends at the first byte. A call in progress has no end. */
function Bar({ call, axis: { begins, duration } }: Pick<Parameters<typeof Row>[0], 'call' | 'axis'>) {
  const { durationMs, firstByteMs } = call
  const left = (begins.get(call) ?? 0) / duration
  const width = durationMs === null ? 1 - left : durationMs / duration
  const wait = firstByteMs === null ? width : firstByteMs / duration
  const percent = (part: number) => `${(part * 100).toFixed(1)}%`
  return (
    <span class="bar-of" aria-hidden="true">
      <span
        style={{
          left: `min(${percent(left)}, 100% - 2px)`,
          width: percent(width),
          '--wait': percent(wait / (width || 1)),
        }}
      />
    </span>
  )
}
