/**
 * Does something when it is pressed, and says what went wrong, or what came of it.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { messageOf } from '../api.ts'

export function ActionButton({
  run,
  children,
  kind,
  disabled = false,
}: {
  /** A text that it gives is shown. */
  run: () => Promise<unknown>
  children: ComponentChildren
  kind?: 'primary' | 'danger'
  disabled?: boolean
}) {
  const said = useSignal('')
  const isBusy = useSignal(false)
  const act = async () => {
    // Not disabled meanwhile: the button would lose the focus.
    if (isBusy.value) return
    isBusy.value = true
    try {
      const told = await run()
      said.value = typeof told === 'string' ? told : ''
    } catch (error) {
      said.value = messageOf(error)
    }
    isBusy.value = false
  }
  return (
    <span class="action">
      <button type="button" class={kind} disabled={disabled} aria-busy={isBusy.value} onClick={act}>
        {children}
      </button>
      <span role="status">{said}</span>
    </span>
  )
}
