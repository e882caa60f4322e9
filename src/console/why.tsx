/**
 * Why a call was answered as it was: the words of `explain`, one fact each, in the order in which they matter.
 */
import type { JournalEntry } from '../journal/entry.ts'
import { ask, below } from './api.ts'
import { hashWith } from './location.ts'
import { Notice, useLoaded } from './parts.tsx'

const kinds = [
  ['missed', /^Missed: /],
  ['warning', /^Warning: /],
  ['assumption', /^It rests on /],
  ['met', /^It met /],
  ['unmatched', /^No operation answers /],
] as const

const titles: Record<string, string> = {
  met: 'Rule',
  unmatched: 'Unmatched',
  missed: 'Missed',
  warning: 'Warning',
  assumption: 'Assumption',
  fact: '',
}

export function Why({ entry, sandbox }: { entry: JournalEntry; sandbox: string }) {
  const path = below(sandbox, `/journal/entries/${encodeURIComponent(entry.id)}/explanation`)
  const { value, problem } = useLoaded(() => ask<string>('GET', path), [path, entry.delivery])
  if (problem) return <Notice>{problem}</Notice>
  const facts = (value ?? '')
    .split('\n')
    .map((text) => ({ text, kind: kinds.find(([, form]) => form.test(text))?.[0] ?? 'fact' }))
  return (
    <ul class="why">
      {facts.map(({ text, kind }) => (
        <li key={text} class={kind}>
          {titles[kind] && <span class="tag">{titles[kind]}</span>}
          <span>{text.replace(/^(Missed|Warning): /, '')}</span>
          {kind === 'met' && entry.rule && (
            <a href={hashWith({ sandbox, q: undefined }, 'scenarios')}>Show the scenarios</a>
          )}
        </li>
      ))}
    </ul>
  )
}
