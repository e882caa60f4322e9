/**
 * What stands where something is wrong, or where there is nothing.
 */
import type { ComponentChildren } from 'preact'

export function Notice({ children }: { children: ComponentChildren }) {
  return (
    <p class="notice" role="alert">
      {children}
    </p>
  )
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty">{children}</div>
}
