/**
 * Which faults can act together in one rule. Derived from the parts of an exchange that each declares, never listed
 * pair by pair.
 */
import { askedForm, type Fault, type Part, parts } from './fault.ts'

/** Why two faults of one rule cannot both have their effect; undefined where they can. */
export function conflict(first: Fault, second: Fault): string | undefined {
  const both = decided(first).find((part) => decided(second).includes(part))
  if (both) return `both decide the ${parts[both]}`
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const gone = one.removes?.find((part) => touched(other).includes(part))
    if (gone) return `'${one.name}' leaves no ${parts[gone]}, and '${other.name}' acts on it`
  }
  return undefined
}

/**
 * The form of the answer that a request must ask for, so that one of the faults can act; undefined where either will
 * do. A fault of streams also acts on the stream that another fault of the rule puts in the place of JSON.
 */
export function formFor(faults: readonly Fault[]): 'stream' | 'json' | undefined {
  const forced = faults.find(({ decides }) => decides?.includes('form'))
  const forms = new Set(faults.map((fault) => (fault === forced ? fault.asked : askedForm(fault))))
  if (forced) return [...forms].every((form) => form !== undefined) ? forced.asked : undefined
  return forms.size === 1 ? [...forms][0] : undefined
}

function decided({ decides = [] }: Fault): readonly Part[] {
  return decides
}

function touched(fault: Fault): readonly Part[] {
  const { needs = [], decides = [], layer } = fault
  const always: Part[] = []
  if (layer !== 'request') always.push('reply')
  if (layer === 'events' || layer === 'text') always.push('stream')
  if (layer === 'bytes') always.push('body')
  return [...always, ...needs, ...decides]
}
