/**
 * Components whose code is loaded when they are first shown.
 */
import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { Notice } from './parts.tsx'

export function later<Props extends object>(
  load: () => Promise<(props: Props) => ComponentChildren>,
): (props: Props) => ComponentChildren {
  const loaded = signal<{ Component: (props: Props) => ComponentChildren } | undefined>(undefined)
  const hasFailed = signal(false)
  return function Later(props) {
    useEffect(() => {
      if (loaded.value) return
      load().then(
        (Component) => {
          loaded.value = { Component }
        },
        () => {
          hasFailed.value = true
        },
      )
    }, [])
    if (hasFailed.value && !loaded.value)
      return <Notice>This part of the page could not be loaded. Reload the page.</Notice>
    if (!loaded.value) return <p class="muted">Loading…</p>
    const { Component } = loaded.value
    return <Component {...props} />
  }
}
