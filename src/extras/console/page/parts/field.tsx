/**
 * Fields of forms, each bound to a signal.
 */
import type { Signal } from '@preact/signals'

export function Field({
  label,
  value,
  isSecret = false,
  inputMode = 'text',
  isInline = false,
  class: className,
}: {
  label: string
  value: Signal<string>
  /** Whether what is typed is not shown. */
  isSecret?: boolean
  inputMode?: 'text' | 'numeric' | 'decimal'
  /** Whether the label stands before it, and not above. */
  isInline?: boolean
  class?: string
}) {
  const bound = {
    inputMode,
    class: className,
    autocomplete: 'off',
    value: value.value,
    onInput: (event: InputEvent) => {
      value.value = (event.currentTarget as HTMLInputElement).value
    },
  }
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the input is in it
    <label class={isInline ? 'inline' : undefined}>
      {label}
      {isSecret ? <input type="password" {...bound} /> : <input {...bound} />}
    </label>
  )
}

/** As many lines as the text has, within limits. */
export function TextArea({
  label,
  value,
  minRows = 3,
  id,
  describedBy,
}: {
  /** Left out where it has one of its own, by its id. */
  label?: string
  value: Signal<string>
  minRows?: number
  id?: string
  describedBy?: string
}) {
  const lines = value.value.split('\n').length + 1
  const area = (
    <textarea
      id={id}
      aria-describedby={describedBy}
      spellcheck={false}
      autocomplete="off"
      rows={Math.min(maxRows, Math.max(minRows, lines))}
      value={value.value}
      onInput={(event) => (value.value = event.currentTarget.value)}
    />
  )
  if (label === undefined) return area
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the area is in it
    <label>
      {label}
      {area}
    </label>
  )
}

const maxRows = 24
