/** A sandbox's collections as tables, and differences from the seed. */
import { useSignal } from '@preact/signals'
import type { ChangedRows } from '../changed-rows.ts'
import { askConsole, useLoaded } from './api.ts'
import { go, hashWith, param, sandboxId } from './location.ts'
import { focus, Notice, ResetButton, Scroller, Tabs } from './parts.tsx'
import { RowEditor } from './row-editor.tsx'

type Row = Record<string, unknown>

/** Maximum number of table columns. Only the row editor shows all fields. */
const maxColumns = 6
const maxRows = 500

export function Data() {
  const id = sandboxId.value
  const version = useSignal(0)
  const collections = useLoaded(
    () =>
      askConsole<{ name: string; count: number }[]>(`GET /sandboxes/${encodeURIComponent(id)}/collections`),
    [id, version.value],
  )
  const chosen = param('collection') || (collections.value?.[0]?.name ?? '')
  const reload = () => {
    version.value++
    go({ row: undefined })
  }
  return (
    <div class="screen">
      <div class="bar">
        <h2>Data</h2>
        <span class="muted grow">of sandbox {id}</span>
        <ResetButton sandbox={id} onReset={reload} />
      </div>
      {collections.problem && <Notice>{collections.problem}</Notice>}
      <Tabs
        label="Collections"
        chosen={chosen}
        tabs={(collections.value ?? []).map(({ name, count }) => [name, name, count] as const)}
        href={(name) => hashWith({ collection: name, row: undefined })}
      />
      {chosen && (
        <Collection key={`${id} ${chosen} ${version.value}`} sandbox={id} name={chosen} onChange={reload} />
      )}
    </div>
  )
}

function Collection({ sandbox, name, onChange }: { sandbox: string; name: string; onChange: () => void }) {
  const here = { sandbox, collection: name }
  const path = `/sandboxes/${encodeURIComponent(sandbox)}/collections/${encodeURIComponent(name)}` as const
  const { value, problem } = useLoaded(() => askConsole<ChangedRows>(`GET ${path}`), [])
  const open = param('row')
  if (problem) return <Notice>{problem}</Notice>
  if (!value) return null
  const list = value.rows
  const [first = '', ...others] = columnsOf(list.map(({ row }) => row))
  const names = new Set(list.map(({ row }) => row[first]))
  const opened = list.find(({ key }) => key === open)?.row
  return (
    <>
      <div class="bar">
        <a class="button" href={hashWith({ row: '+' })}>
          Add a record
        </a>
        <span class="muted">{differenceOf(value)}</span>
      </div>
      {(opened || open === '+') && (
        <RowEditor
          key={open}
          here={here}
          row={opened ?? list[0]?.row ?? {}}
          rowKey={opened && open}
          onDone={() => {
            focus('.tabs [aria-current]')
            onChange()
          }}
        />
      )}
      {list.length === 0 && <div class="empty">No records.</div>}
      <Scroller class="table opens" label={name}>
        <table>
          <thead>
            <tr>
              {[first, ...others].map((column) => (
                <th key={column}>{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.slice(0, maxRows).map(({ key, row, change }) => (
              <tr key={key} class={key === open ? 'chosen' : undefined}>
                <td>
                  <a href={hashWith({ row: key })}>{shown(names.size < list.length ? key : row[first])}</a>
                  {change && <span class={change === 'added' ? 'tag good' : 'tag warn'}>{change}</span>}
                </td>
                {others.map((column) => (
                  <td key={column} class={row[column] == null ? 'muted' : undefined}>
                    {shown(row[column])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
      {list.length > maxRows && <p class="muted">{list.length - maxRows} more records are not shown.</p>}
    </>
  )
}

/** Returns field names, except for fields that are objects or null in every row. */
function columnsOf(rows: readonly Row[]): string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...names].filter((name) => rows.some((row) => typeof row[name] !== 'object')).slice(0, maxColumns)
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

function differenceOf({ rows, deleted }: ChangedRows): string {
  const [added, changed] = (['added', 'changed'] as const).map(
    (kind) => rows.filter(({ change }) => change === kind).length,
  )
  if (!added && !changed && !deleted) return 'Unchanged'
  return `Changes from the seed: ${added} added, ${changed} changed, ${deleted} deleted`
}
