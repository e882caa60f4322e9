/**
 * Row editor: a form or JSON, checked while it is edited.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { FormSchema } from '../drafts.ts'
import { ask, askConsole, messageOf, useLoaded } from './api.ts'
import { hashWith, param } from './location.ts'
import { ActionButton, Notice, parsed, Tabs, TextArea } from './parts.tsx'
import { initialOf, type Path, parsePath, variantsOf, withValueAt } from './schema.ts'
import { type Problem, SchemaForm } from './schema-form.tsx'

/** Time without edits after which the row is checked, in milliseconds. */
const debounceMs = 300
/** Maximum number of values from other rows to suggest. */
const maxNames = 50
/** Maximum length of a suggested value. */
const maxLength = 60

export function RowEditor({
  here,
  rows,
  row,
  rowKey,
  onDone,
}: {
  here: { sandbox: string; collection: string }
  rows: readonly object[]
  /** Undefined for a new row. */
  row: object | undefined
  rowKey: string
  onDone: () => void
}) {
  const isNew = row === undefined
  const at = `${encodeURIComponent(here.sandbox)}/`
  const name = encodeURIComponent(here.collection)
  const form = useLoaded(
    () => askConsole<FormSchema>(`GET /sandboxes/${at}row-forms/${name}`),
    [here.sandbox, here.collection],
  )
  const text = useSignal(row ? JSON.stringify(row, null, 2) : '')
  const problems = useSignal<readonly Problem[]>([])
  const wanted = useRef('')
  const schema = form.value?.schema
  useEffect(() => {
    if (!schema || text.value !== '') return
    const [first] = variantsOf(schema, schema)
    text.value = JSON.stringify(first && initialOf(first, schema), null, 2)
  }, [schema])
  const written = text.value
  useEffect(() => {
    let isStale = false
    const check = async () => {
      const body = parsed(written)
      if (body === undefined || written === '') return
      const found = await askConsole<{ path: string; message: string }[]>(
        `POST /sandboxes/${at}row-checks/${name}`,
        Object(body),
      ).catch((error) => [{ path: '', message: messageOf(error) }])
      if (!isStale) problems.value = found.map(({ path, message }) => ({ path: parsePath(path), message }))
    }
    const timer = setTimeout(check, debounceMs)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [written])
  if (form.problem) return <Notice>{form.problem}</Notice>
  if (!form.value || !schema || written === '') return <p class="muted">Loading…</p>
  const { names } = form.value
  const value = parsed(written)
  const isForm = param('as') !== 'text' && value !== undefined
  const record = { ...here, key: rowKey }
  const title = isNew ? 'New row' : 'Row'
  return (
    <form class="card" aria-label={title} onSubmit={(event) => event.preventDefault()}>
      <Tabs
        label="Editor"
        tabs={[
          ['form', 'Form'],
          ['text', 'JSON'],
        ]}
        chosen={isForm ? 'form' : 'text'}
        href={(as) => hashWith({ as: as === 'form' ? undefined : as })}
      />
      {isForm ? (
        <SchemaForm
          label={title}
          schema={schema}
          value={value}
          form={{
            root: schema,
            problems: problems.value,
            namesFor: (path) => namesFor(path, names, rows),
            change: (path, next) => (text.value = JSON.stringify(withValueAt(value, path, next), null, 2)),
            wanted,
          }}
        />
      ) : (
        <>
          <TextArea label={`${title} (JSON)`} value={text} minRows={6} />
          <div class="verdict" aria-live="polite">
            {value === undefined ? (
              <p class="bad">This is not JSON.</p>
            ) : (
              <ul>
                {problems.value.map(({ path, message }) => (
                  <li key={path.join('.')}>
                    {path.join('.')}: {message}
                  </li>
                ))}
              </ul>
            )}
          </div>
        </>
      )}
      <div class="bar">
        <ActionButton
          kind="primary"
          isSubmit
          run={async () => {
            const body = JSON.parse(written)
            await (isNew ? ask('createRecord', here, { body }) : ask('updateRecord', record, { body }))
            onDone()
          }}
        >
          {isNew ? 'Add' : 'Save'}
        </ActionButton>
        {!isNew && (
          <ActionButton
            kind="danger"
            question={`Delete the row '${rowKey}' from ${here.collection}?`}
            run={async () => {
              await ask('deleteRecord', record)
              onDone()
            }}
          >
            Delete
          </ActionButton>
        )}
        <a class="button" href={hashWith({ row: undefined })}>
          Close
        </a>
      </div>
    </form>
  )
}

/** Returns the keys that a field can refer to, or else the field's short values in other rows. */
function namesFor(
  path: Path,
  names: Readonly<Record<string, string[]>>,
  rows: readonly object[],
): readonly string[] {
  const [field = '', ...rest] = path.map(String)
  if (rest.length > 0) return []
  if (Object.hasOwn(names, field)) return names[field] ?? []
  const values = rows.slice(0, 500).map((row) => (Object.hasOwn(row, field) ? Reflect.get(row, field) : null))
  const texts = values.filter((each) => typeof each === 'string' && each.length <= maxLength)
  return [...new Set(texts as string[])].slice(0, maxNames)
}
