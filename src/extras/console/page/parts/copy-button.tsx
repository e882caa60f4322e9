/**
 * Copies a text, which may have to be asked for first.
 */
import { useSignal } from '@preact/signals'
import { messageOf } from '../api.ts'

/** Milliseconds for which it says what came of it. */
const saidMs = 3000

export function CopyButton({
  text,
  children = 'Copy',
  label,
}: {
  text: string | (() => Promise<string>)
  children?: string
  /** Where the words on it do not say what it copies. */
  label?: string
}) {
  const said = useSignal('')
  const copy = async () => {
    try {
      await copyText(typeof text === 'string' ? text : await text())
      said.value = 'Copied'
    } catch (error) {
      said.value = messageOf(error)
    }
    setTimeout(() => {
      said.value = ''
    }, saidMs)
  }
  return (
    <span class="action">
      <button type="button" aria-label={label} onClick={copy}>
        {children}
      </button>
      <span role="status">{said}</span>
    </span>
  )
}

/** Also on a page of plain HTTP, where browsers have no clipboard. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
