/**
 * Why a call was answered as it was: the words of `explain`, one fact each, in the order in which they matter.
 */
import type { JournalEntry } from '../../../journal/entry.ts'
import { ask, below } from './api.ts'
import { hashWith } from './location.ts'
import { Notice } from './parts/notice.tsx'
import { useLoaded } from './parts/use-loaded.ts'

/** How a fact begins, by its kind; the words in a group are left out, for its tag says them. */
const kinds = [
  ['refused', 'Refused', /^(It was refused: )/],
  ['missed', 'Missed', /^(Missed: )/],
  ['warning', 'Warning', /^(Warning: )/],
  ['assumption', 'Assumption', /^It rests on /],
  ['met', 'Rule', /^It met /],
  ['script', 'Script', /^It was turn /],
  ['delivery', 'Delivery', /^(?:A fault broke|The client left|The reply is) /],
] as const

export function Why({ entry, sandbox }: { entry: JournalEntry; sandbox: string }) {
  const path = below(sandbox, `/journal/entries/${encodeURIComponent(entry.id)}/explanation`)
  const { value, problem } = useLoaded(() => ask<string>('GET', path), [path, entry.delivery])
  if (problem) return <Notice>{problem}</Notice>
  return (
    <ul class="why">
      {(value ?? '').split('\n').map((fact, index) => {
        const [kind, title, form] = kinds.find(([, , each]) => each.test(fact)) ?? []
        const said = form?.exec(fact)?.[1] ?? ''
        return (
          <li key={index} class={kind}>
            {title && <span class="tag">{title}</span>}
            <span>{fact.slice(said.length)}</span>
            {kind === 'met' && entry.rule && (
              <a href={hashWith({ sandbox, q: undefined }, 'scenarios')}>Show the scenarios</a>
            )}
          </li>
        )
      })}
    </ul>
  )
}
