/**
 * Where in the console somebody is, in the hash of the URL: a link shows the same.
 */
import { computed, signal } from '@preact/signals'

export const views = ['calls', 'scenarios', 'data', 'sandboxes', 'figures', 'try'] as const
export type View = (typeof views)[number]

interface Place {
  view: View
  params: URLSearchParams
}

export const place = signal<Place>(read())
/** `*` stands for all of them; only lists of calls show that. */
export const chosenSandbox = computed(() => place.value.params.get('sandbox') ?? '*')
/** The one that is worked on. */
export const sandboxId = computed(() => (chosenSandbox.value === '*' ? 'default' : chosenSandbox.value))

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

/** The hash of this place with some parameters changed; an empty one goes. */
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

/** @param replace Whether the step back skips this one: for what is typed. */
export function go(
  changes: Record<string, string | undefined>,
  { view = place.value.view, replace = false } = {},
): void {
  const hash = hashWith(changes, view)
  if (!replace) location.hash = hash
  else {
    history.replaceState(null, '', hash)
    place.value = read()
  }
}
