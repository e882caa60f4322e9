/** Button that opens a card. Escape and a focused element elsewhere close it. */
import type { ComponentChildren } from 'preact'

export function Menu({
  label,
  title,
  children,
}: {
  /** Accessible name of the button. Default: the title. */
  label?: string
  title: string
  children: ComponentChildren
}) {
  return (
    <details
      class="menu"
      onKeyDown={(event) => {
        const { key, currentTarget: menu } = event
        if (key !== 'Escape' || !menu.open) return
        // Escape would also close the call.
        event.stopPropagation()
        menu.open = false
        menu.querySelector('summary')?.focus()
      }}
      onFocusOut={({ currentTarget: menu, relatedTarget }) => {
        if (relatedTarget && !menu.contains(relatedTarget as Node)) menu.open = false
      }}
    >
      <summary class="button" aria-label={label}>
        {title}
      </summary>
      <div class="card">{children}</div>
    </details>
  )
}
