/**
 * One call: why it was answered so, what was asked, what came, and what can be made of it.
 */
import { useSignal } from '@preact/signals'
import type { JournalEntry } from '../../../journal/entry.ts'
import type { ExportFormat } from '../../../sandbox/remote.ts'
import { ask, below } from './api.ts'
import { calls } from './calls-store.ts'
import { Conversation, turnsAnswered, turnsAsked } from './conversation.tsx'
import { isEventStream } from './event-list.ts'
import { go, hashWith, param } from './location.ts'
import { NextAnswer } from './next-answer.tsx'
import { ActionButton } from './parts/action-button.tsx'
import { Code } from './parts/code.tsx'
import { CopyButton } from './parts/copy-button.tsx'
import { milliseconds, pretty } from './parts/format.ts'
import { Notice } from './parts/notice.tsx'
import { Status } from './parts/status.tsx'
import { Tabs } from './parts/tabs.tsx'
import { useLoaded } from './parts/use-loaded.ts'
import { Stream } from './stream.tsx'
import { Why } from './why.tsx'

const formats: readonly (readonly [ExportFormat, string])[] = [
  ['curl', 'curl'],
  ['vitest', 'Vitest test'],
  ['playwright', 'Playwright test'],
  ['rule', 'Scenario rule'],
  ['fixture', 'Fixture'],
]

export function Call({ id, sandbox }: { id: string; sandbox: string }) {
  // Read anew when its delivery is over.
  const summary = calls.value.findLast((call) => call.id === id && call.sandbox === sandbox)
  const path = below(sandbox, `/calls/${encodeURIComponent(id)}`)
  const { value: entry, problem } = useLoaded(() => ask<JournalEntry>('GET', path), [path, summary?.delivery])
  const isAnswering = useSignal(false)
  if (problem)
    return (
      <article class="detail" tabIndex={-1} aria-label="Call">
        <Notice>{problem}</Notice>
        <a href={closed()}>Close</a>
      </article>
    )
  if (!entry) return <article class="detail" tabIndex={-1} aria-label="Call" aria-busy="true" />
  const again = async () => {
    const made = await ask<JournalEntry>('POST', `${path}/resend`)
    go({ call: made.id, in: sandbox })
  }
  const exported = async (as: ExportFormat) =>
    (await ask<{ text: string }>('GET', `${path}/export?as=${as}`)).text
  return (
    <article class="detail" tabIndex={-1} aria-label="Call">
      <header>
        <h2>
          <span class="method">{entry.method}</span> {entry.path}
        </h2>
        <a class="close" href={closed()} aria-label="Close the call">
          ×
        </a>
      </header>
      <p class="facts">
        <Status status={entry.status} delivery={entry.delivery} />
        <span>{entry.operation ?? 'no operation'}</span>
        <span>{milliseconds(entry.durationMs)}</span>
        {entry.firstByteMs !== null && entry.timeline.length > 0 && (
          <span>first byte {milliseconds(entry.firstByteMs)}</span>
        )}
        <span>sandbox {sandbox}</span>
        <code>{id}</code>
      </p>
      <div class="bar">
        <ActionButton run={again}>Send again</ActionButton>
        <button
          type="button"
          aria-expanded={isAnswering.value}
          onClick={() => {
            isAnswering.value = !isAnswering.value
          }}
        >
          Next time answer…
        </button>
      </div>
      {isAnswering.value && <NextAnswer entry={entry} sandbox={sandbox} />}
      <fieldset class="bar formats">
        <legend class="muted">Copy as</legend>
        {formats.map(([as, title]) => (
          <CopyButton key={as} text={() => exported(as)}>
            {title}
          </CopyButton>
        ))}
      </fieldset>
      <Details entry={entry} path={path} sandbox={sandbox} />
    </article>
  )
}

function closed(): string {
  return hashWith({ call: undefined, in: undefined, tab: undefined })
}

function Details({ entry, path, sandbox }: { entry: JournalEntry; path: string; sandbox: string }) {
  const isStream = isEventStream(entry)
  const tabs = [
    ['why', 'Why'],
    ['request', 'Request'],
    ['reply', 'Reply'],
    ...(isStream ? [['stream', 'Stream'] as const] : []),
    ['raw', 'Raw'],
  ] as const
  const wanted = param('tab')
  const chosen = tabs.find(([id]) => id === wanted)?.[0] ?? 'why'
  return (
    <>
      <Tabs
        label="Parts of the call"
        tabs={tabs}
        chosen={chosen}
        href={(tab) => hashWith({ tab: tab === 'why' ? undefined : tab })}
      />
      {chosen === 'why' && <Why entry={entry} sandbox={sandbox} />}
      {chosen === 'request' && <Request entry={entry} />}
      {chosen === 'reply' && <Reply entry={entry} />}
      {chosen === 'stream' && <Stream key={path} entry={entry} />}
      {chosen === 'raw' && <Code text={JSON.stringify(entry, null, 2)} label="The entry of the journal" />}
    </>
  )
}

function Request({ entry }: { entry: JournalEntry }) {
  return (
    <>
      <Conversation title="Conversation" turns={turnsAsked(entry.body)} />
      {Object.keys(entry.query).length > 0 && <Pairs title="Query" pairs={entry.query} />}
      <Body title="Body" {...entry.rawBody} />
      <Pairs title="Headers" pairs={entry.headers} />
    </>
  )
}

function Reply({ entry }: { entry: JournalEntry }) {
  return (
    <>
      <Conversation title="Answer" turns={turnsAnswered(entry)} />
      <Body title="Body" {...entry.replyBody} />
      <Pairs title="Headers" pairs={entry.replyHeaders} />
    </>
  )
}

function Body({ title, text, cut }: { title: string; text: string; cut: number }) {
  if (text === '') return <p class="muted">No body.</p>
  return (
    <section>
      <h3>{title}</h3>
      <Code text={pretty(text)} label={title} />
      {cut > 0 && <p class="muted">{cut} more bytes were not kept.</p>}
    </section>
  )
}

function Pairs({ title, pairs }: { title: string; pairs: Record<string, string | string[]> }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl class="pairs">
        {Object.entries(pairs).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{[value].flat().join(', ')}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
