/** A sandbox's collections as tables, and differences from the seed. */
import { useSignal } from '@preact/signals'
import type { ChangedRows } from '../changed-rows.ts'
import { ask, askConsole, useLoaded } from './api.ts'
import { go, hashWith, param, sandboxId } from './location.ts'
import { Empty, focus, Notice, ResetButton, Scroller, Tabs } from './parts.tsx'
import { RowEditor } from './row-editor.tsx'

type Row = Record<string, unknown>

/** Maximum number of table columns. The row editor shows all fields. */
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
  const rows = useLoaded(() => ask('listRecords', here), [])
  const changes = useLoaded(
    () => askConsole<ChangedRows[]>(`GET /sandboxes/${encodeURIComponent(sandbox)}/rows`),
    [],
  )
  const change = changes.value?.find(({ collection }) => collection === name)
  const open = param('row')
  if (rows.problem) return <Notice>{rows.problem}</Notice>
  const list = rows.value ?? []
  const columns = columnsOf(list)
  const opened = list.find((row) => keyOf(row) === open)
  return (
    <>
      <div class="bar">
        <a class="button" href={hashWith({ row: '+' })}>
          Add a record
        </a>
        <span class="muted">{differenceOf(change)}</span>
      </div>
      {(opened || open === '+') && (
        <RowEditor
          key={open}
          here={here}
          row={opened ?? list[0] ?? {}}
          rowKey={opened && open}
          onDone={() => {
            focus('.tabs [aria-current]')
            onChange()
          }}
        />
      )}
      {list.length === 0 && rows.value && <Empty>No records.</Empty>}
      <Scroller class="table opens" label={name}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column}>{column}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {list.slice(0, maxRows).map((row) => {
              const key = keyOf(row)
              return (
                <tr key={key} class={key === open ? 'chosen' : undefined}>
                  {columns.map((column, index) => (
                    <td key={column}>
                      {index === 0 ? (
                        <>
                          <a href={hashWith({ row: key })}>{shown(row[column])}</a>
                          {markOf(change, key)}
                        </>
                      ) : (
                        <span class={row[column] == null ? 'muted' : undefined}>{shown(row[column])}</span>
                      )}
                    </td>
                  ))}
                </tr>
              )
            })}
          </tbody>
        </table>
      </Scroller>
      {list.length > maxRows && <p class="muted">{list.length - maxRows} more records are not shown.</p>}
    </>
  )
}

function keyOf(row: object): string {
  return String((row as Row)['id'] ?? (row as Row)['slug'] ?? Object.values(row)[0] ?? '')
}

/** Returns the names of fields that contain more than objects. */
function columnsOf(rows: readonly Row[]): string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)))
  return [...names].filter((name) => rows.some((row) => typeof row[name] !== 'object')).slice(0, maxColumns)
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

function differenceOf(change: ChangedRows | undefined): string {
  if (!change) return 'Unchanged'
  const { created, changed, deleted } = change
  return `Changes from the seed: ${created.length} added, ${changed.length} changed, ${deleted.length} deleted`
}

function markOf(change: ChangedRows | undefined, key: string) {
  if (change?.created.some((row) => keyOf(row) === key)) return <span class="tag good">added</span>
  if (change?.changed.some((row) => keyOf(row) === key)) return <span class="tag warn">changed</span>
  return null
}
