/** Editor for a record, as JSON. The server validates the JSON. */
import { useSignal } from '@preact/signals'
import { parseJson } from '../../../lib/json.ts'
import { ask } from './api.ts'
import { ActionButton, TextArea } from './parts.tsx'

export function RowEditor({
  here,
  row,
  rowKey,
  onDone,
}: {
  here: { sandbox: string; collection: string }
  /** Row to change, or the initial fields of a new row. */
  row: object
  /** Undefined for a new row. */
  rowKey: string | undefined
  onDone: () => void
}) {
  const text = useSignal(JSON.stringify(row, null, 2))
  const title = rowKey === undefined ? 'New record' : 'Record'
  const save = async () => {
    const body = parseJson(text.value)
    if (typeof body !== 'object' || body === null) throw new Error('The record must be a JSON object')
    await (rowKey === undefined
      ? ask('createRecord', here, { body })
      : ask('updateRecord', { ...here, key: rowKey }, { body }))
    onDone()
  }
  return (
    <form class="card" aria-label={title} onSubmit={(event) => event.preventDefault()}>
      <TextArea label={`${title} (JSON)`} value={text} minRows={6} isJson />
      <div class="bar">
        <ActionButton kind="primary" isSubmit run={save}>
          {rowKey === undefined ? 'Add' : 'Save'}
        </ActionButton>
        {rowKey !== undefined && (
          <ActionButton
            kind="danger"
            question={`Delete the record '${rowKey}' from ${here.collection}?`}
            run={async () => {
              await ask('deleteRecord', { ...here, key: rowKey })
              onDone()
            }}
          >
            Delete
          </ActionButton>
        )}
        <button type="button" onClick={onDone}>
          Close
        </button>
      </div>
    </form>
  )
}
