/** Navigation state in the URL hash, so that links show the same screen. */
import { computed, signal } from '@preact/signals'

export const views = ['calls', 'scenarios', 'data', 'sandboxes'] as const
export type View = (typeof views)[number]

interface Place {
  view: View
  params: URLSearchParams
}

export const place = signal<Place>(read())
/** Id of the selected sandbox. `*` means all sandboxes, which only the call list supports. */
export const chosenSandbox = computed(() => place.value.params.get('sandbox') ?? '*')
/** Id of the sandbox that actions apply to: of the call that links here, or the default sandbox if all are selected. */
export const sandboxId = computed(() => param('in') || chosenSandbox.value.replace('*', 'default'))

addEventListener('hashchange', () => {
  place.value = read()
})

function read(): Place {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  const view = views.find((each) => each === path) ?? 'calls'
  return { view, params: new URLSearchParams(search) }
}

export function param(name: string): string {
  return place.value.params.get(name) ?? ''
}

/** Returns the current hash with changed parameters. Empty parameters are removed. */
export function hashWith(changes: Record<string, string | undefined>, view = place.value.view): string {
  const keptSandbox = place.value.params.get('sandbox')
  const params =
    view === place.value.view
      ? new URLSearchParams(place.value.params)
      : new URLSearchParams(keptSandbox === null ? '' : { sandbox: keptSandbox })
  for (const [name, value] of Object.entries(changes)) {
    if (value) params.set(name, value)
    else params.delete(name)
  }
  const search = params.toString()
  return `#/${view}${search && `?${search}`}`
}

export const closed = { call: undefined, in: undefined, with: undefined, within: undefined, tab: undefined }

/** @param replace If true, replaces the current history entry, for example while the user types. */
export function go(changes: Record<string, string | undefined>, { replace = false } = {}): void {
  const hash = hashWith(changes)
  if (!replace) location.hash = hash
  else {
    history.replaceState(null, '', hash)
    place.value = read()
  }
}
