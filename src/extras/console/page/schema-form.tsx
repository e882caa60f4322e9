/**
 * Form for a value with a JSON Schema. Shows each problem at its field, and suggests existing names.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { parsed } from './parts.tsx'
import {
  firstValue,
  initialOf,
  type Kind,
  type Path,
  resolved,
  type Schema,
  type Variant,
  variantOf,
  variantsOf,
} from './schema.ts'

export interface Problem {
  path: Path
  message: string
}

export interface Form {
  root: Schema
  problems: readonly Problem[]
  /** Returns values to suggest for a field. */
  namesFor: (path: Path) => readonly string[]
  /** Returns a remark on a part of the value. */
  noteOn?: (path: Path) => string | undefined
  /** Replaces the value at a path; undefined removes it. */
  change: (path: Path, value: unknown) => void
  /** Path of the field to focus when it is rendered, as JSON. */
  wanted: { current: string }
}

interface FieldProps {
  form: Form
  label: string
  schema: Schema
  path: Path
  value: unknown
  /** Buttons after the field, such as one that removes it. */
  children?: ComponentChildren
}

/** Renders an object's fields. Other values are rendered as a single field. */
export function SchemaForm({ form, label, schema, value }: Omit<FieldProps, 'path' | 'children'>) {
  const variant = variantOf(value, variantsOf(schema, form.root))
  if (variant.kind !== 'object')
    return <Field form={form} label={label} schema={schema} path={[]} value={value} />
  return (
    <fieldset class="form" aria-label={label}>
      <Fields form={form} label={label} variant={variant} path={[]} value={value} />
      <Problems form={form} path={[]} shown={shownKeys(variant, value)} />
    </fieldset>
  )
}

const nested: readonly Kind[] = ['object', 'tagged', 'map', 'list']

function Field({ form, label, schema, path, value, children }: FieldProps) {
  const variants = variantsOf(schema, form.root)
  const variant = variantOf(value, variants)
  const { kind } = variant
  const id = useId()
  const box = useRef<HTMLDivElement & HTMLFieldSetElement>(null)
  useEffect(() => {
    if (form.wanted.current !== JSON.stringify(path)) return
    form.wanted.current = ''
    const fields = ':is(input, select, textarea, button):not(.more > *)'
    box.current?.querySelector<HTMLElement>(fields)?.focus()
  })
  const change = (next: unknown) => form.change(path, next)
  const hint = resolved(schema, form.root).description ?? variant.schema.description
  const about = <Hint id={`${id}hint`} text={hint} />
  const more = (variants.length > 1 || children) && (
    <div class="bar more">
      {variants.length > 1 && (
        <select
          aria-label={`Type of ${label}`}
          value={variants.indexOf(variant)}
          onChange={({ currentTarget }) => {
            const next = variants[Number(currentTarget.value)]
            if (next) change(initialOf(next, form.root, value))
          }}
        >
          {variants.map(({ title }, index) => (
            <option key={title} value={index}>
              {title}
            </option>
          ))}
        </select>
      )}
      {children}
    </div>
  )
  if (nested.includes(kind))
    return (
      <fieldset class="field nested" ref={box}>
        <legend>{label}</legend>
        {more}
        {form.noteOn?.(path) && <p>{form.noteOn(path)}</p>}
        {about}
        <Nested form={form} label={label} variant={variant} path={path} value={value} />
        <Problems form={form} path={path} shown={shownKeys(variant, value)} />
      </fieldset>
    )
  return (
    <div class="field" ref={box}>
      <label for={id}>{label}</label>
      <div class="bar">
        <Input
          id={id}
          kind={kind}
          options={kind === 'choice' ? variant.options : [...variant.options, ...form.namesFor(path)]}
          value={value}
          describedBy={`${id}hint ${id}problem`}
          isInvalid={problemsAt(form, path).length > 0}
          change={change}
        />
        {more}
      </div>
      {about}
      <Problems id={`${id}problem`} form={form} path={path} />
    </div>
  )
}

/** Description of a field, with names in backticks. */
function Hint({ id, text }: { id: string; text: string | undefined }) {
  if (!text) return null
  return (
    <p id={id} class="muted">
      {text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}
    </p>
  )
}

function problemsAt({ problems }: Form, path: Path): readonly Problem[] {
  return problems.filter((problem) => path.every((step, index) => problem.path[index] === step))
}

/** Problems at a path, except those in `shown` parts, whose own fields show them. */
function Problems({ id, form, path, shown = [] }: { id?: string; form: Form; path: Path; shown?: Path }) {
  const own = problemsAt(form, path).filter((problem) => {
    const next = problem.path[path.length]
    return next === undefined || !shown.includes(next)
  })
  if (own.length === 0) return null
  return (
    <p id={id} class="bad">
      {own.map(({ message }) => message).join('; ')}
    </p>
  )
}

/** Returns the keys or indexes of the parts that have fields. */
function shownKeys({ kind, schema: { required = [] } }: Variant, value: unknown): Path {
  if (Array.isArray(value)) return [...value.keys()]
  return [...Object.keys(Object(value)), ...(kind === 'object' ? required : [])]
}

type NestedProps = Pick<FieldProps, 'form' | 'label' | 'path' | 'value'> & { variant: Variant }

function Nested(props: NestedProps) {
  switch (props.variant.kind) {
    case 'list':
      return <Items {...props} />
    case 'map':
      return <Entries {...props} />
    case 'tagged':
      return <Tagged {...props} />
    default:
      return <Fields {...props} />
  }
}

/** Fields of an object that are required or have a value, and a menu from which to add the remaining ones. */
function Fields({ form, label, variant: { schema, tag }, path, value }: NestedProps) {
  const { properties = {}, required = [] } = schema
  const object = Object(value) as Record<string, unknown>
  const names = Object.keys(properties).filter((name) => name !== tag && name !== '$schema')
  const isShown = (name: string) => required.includes(name) || Object.hasOwn(object, name)
  const unknown = Object.keys(object).filter((name) => !Object.hasOwn(properties, name))
  const rest = names.filter((name) => !isShown(name))
  const field = (name: string) => {
    const inner = [...path, name]
    return (
      <Field
        key={name}
        form={form}
        label={name}
        schema={Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {}}
        path={inner}
        value={object[name]}
      >
        {!required.includes(name) && <Remove form={form} label={name} path={inner} />}
      </Field>
    )
  }
  return (
    <>
      {[...names.filter(isShown), ...unknown].map(field)}
      {rest.length > 0 && (
        <AddField
          label={label}
          names={rest}
          add={(name) => {
            form.wanted.current = JSON.stringify([...path, name])
            form.change([...path, name], firstValue(properties[name] ?? {}, form.root))
          }}
        />
      )}
    </>
  )
}

function AddField({
  label,
  names,
  add,
}: {
  label: string
  names: readonly string[]
  add: (name: string) => void
}) {
  const chosen = useSignal('')
  const name = names.includes(chosen.value) ? chosen.value : (names[0] ?? '')
  return (
    <div class="bar">
      <select
        aria-label={`Optional fields of ${label}`}
        value={name}
        onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
      >
        {names.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <button type="button" aria-label={`Add field to ${label}`} onClick={() => add(name)}>
        Add field
      </button>
    </div>
  )
}

function Remove({ form, label, path }: { form: Form; label: string; path: Path }) {
  return (
    <button type="button" aria-label={`Remove ${label}`} onClick={() => form.change(path, undefined)}>
      Remove
    </button>
  )
}

/** An object whose other fields depend on its tag. A string is short for an object with only the tag. */
function Tagged(props: NestedProps) {
  const { form, label, variant, path, value } = props
  const { tag = '', tagged = new Map(), options } = variant
  const object = typeof value === 'string' ? { [tag]: value } : (Object(value) as Record<string, unknown>)
  const chosen = String(object[tag])
  const schema: Schema = tagged.get(chosen) ?? {}
  const id = useId()
  return (
    <>
      <div class="field">
        <label for={id}>{tag}</label>
        <div class="bar">
          <Input
            id={id}
            kind="choice"
            options={options}
            value={object[tag]}
            describedBy={`${id}hint`}
            isInvalid={problemsAt(form, path).length > 0}
            change={(next) => {
              const { properties = {} } = tagged.get(String(next)) ?? {}
              const kept = Object.entries(object).filter(([name]) => Object.hasOwn(properties, name))
              form.change(path, { ...Object.fromEntries(kept), [tag]: next })
            }}
          />
        </div>
        <Hint id={`${id}hint`} text={schema.description} />
      </div>
      <Fields
        form={{
          ...form,
          // To add a field to a string, replaces the string with the equivalent object.
          change: (at, next) => {
            if (typeof value === 'string' && next !== undefined)
              form.change(path, { ...object, [String(at.at(-1))]: next })
            else form.change(at, next)
          },
        }}
        label={label}
        variant={{ ...variant, schema }}
        path={path}
        value={object}
      />
    </>
  )
}

function Items({ form, label, variant: { schema }, path, value }: NestedProps) {
  const items = value as readonly unknown[]
  const singular = label.replace(/ies$/, 'y').replace(/s$/, '')
  return (
    <>
      {items.map((item, index) => {
        const inner = [...path, index]
        const name = `${singular} ${index + 1}`
        return (
          <Field key={index} form={form} label={name} schema={schema.items ?? {}} path={inner} value={item}>
            {index > 0 && (
              <button
                type="button"
                aria-label={`Move up ${name}`}
                onClick={() => form.change(path, items.toSpliced(index - 1, 2, item, items[index - 1]))}
              >
                Move up
              </button>
            )}
            <Remove form={form} label={name} path={inner} />
          </Field>
        )
      })}
      <div class="bar">
        <button
          type="button"
          aria-label={`Add ${singular}`}
          onClick={() => {
            form.wanted.current = JSON.stringify([...path, items.length])
            const [first] = variantsOf(schema.items ?? {}, form.root)
            form.change(path, [...items, first && initialOf(first, form.root)])
          }}
        >
          Add
        </button>
      </div>
    </>
  )
}

function Entries({ form, label, variant: { schema }, path, value }: NestedProps) {
  const name = useSignal('')
  const { additionalProperties } = schema
  const inner: Schema = typeof additionalProperties === 'object' ? additionalProperties : {}
  return (
    <>
      {Object.entries(Object(value)).map(([key, item]) => (
        <Field key={key} form={form} label={key} schema={inner} path={[...path, key]} value={item}>
          <Remove form={form} label={key} path={[...path, key]} />
        </Field>
      ))}
      <div class="bar">
        <input
          aria-label={`Name to add to ${label}`}
          placeholder="Name"
          autocomplete="off"
          value={name.value}
          onInput={({ currentTarget }) => (name.value = currentTarget.value)}
        />
        <button
          type="button"
          aria-label={`Add name to ${label}`}
          disabled={name.value === '' || Object.hasOwn(Object(value), name.value)}
          onClick={() => {
            const [first] = variantsOf(inner, form.root)
            form.wanted.current = JSON.stringify([...path, name.value])
            form.change([...path, name.value], first && initialOf(first, form.root))
            name.value = ''
          }}
        >
          Add
        </button>
      </div>
    </>
  )
}

function readNumber(text: string): unknown {
  return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
}

/** Parses JSON. Returns text that is not JSON unchanged. */
function readJson(text: string): unknown {
  const value = parsed(text)
  return value === undefined ? text : value
}

/** Maximum number of characters in a single-line input. Longer text gets a text area. */
const maxLine = 60

function Input({
  id,
  kind,
  options,
  value,
  describedBy,
  isInvalid,
  change,
}: {
  id: string
  kind: Kind
  options: readonly string[]
  value: unknown
  describedBy: string
  isInvalid: boolean
  change: (value: unknown) => void
}) {
  const read = kind === 'number' ? readNumber : kind === 'json' ? readJson : String
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
  /** The text as typed, such as `1.` or incomplete JSON. */
  const typed = useSignal(text)
  const isLong = useRef(kind === 'json' || text.length > maxLine || text.includes('\n')).current
  const bound = {
    id,
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
  }
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => {
    typed.value = currentTarget.value
    change(read(currentTarget.value))
  }
  if (kind === 'null') return <output {...bound}>null</output>
  if (kind === 'choice' || kind === 'boolean') {
    const known = kind === 'boolean' ? ['true', 'false'] : options
    const all = known.includes(text) ? known : [text, ...known]
    return (
      <select
        {...bound}
        value={text}
        onChange={({ currentTarget }) =>
          change(kind === 'boolean' ? currentTarget.value === 'true' : currentTarget.value)
        }
      >
        {all.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    )
  }
  const isSame = JSON.stringify(read(typed.value)) === JSON.stringify(value)
  const shown = isSame ? typed.value : text
  if (isLong)
    return (
      <textarea
        {...bound}
        spellcheck={false}
        rows={Math.min(12, Math.max(2, shown.split('\n').length, Math.ceil(shown.length / 90)))}
        value={shown}
        onInput={onInput}
      />
    )
  const known = [...new Set(options)]
  return (
    <>
      <input
        {...bound}
        class="grow"
        autocomplete="off"
        spellcheck={false}
        inputMode={kind === 'number' ? 'decimal' : 'text'}
        list={known.length > 0 ? `${id}list` : undefined}
        value={shown}
        onInput={onInput}
      />
      {known.length > 0 && (
        <datalist id={`${id}list`}>
          {known.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  )
}
