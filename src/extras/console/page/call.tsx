/** Details of one call: explanation, request, reply, stream, and exports as code. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ExportFormat } from '../../../control/remote-sandbox.ts'
import type { JournalEntry } from '../../../journal/entry.ts'
import { ask, useLoaded } from './api.ts'
import { calls, sandboxes, withName } from './calls-store.ts'
import { Conversation, replyTurns, requestTurns } from './conversation.tsx'
import { FailNext } from './fail-next.tsx'
import { failedTest, loadCall } from './failed-test.ts'
import { closed, hashWith, param } from './location.ts'
import { Code, CopyButton, focus, milliseconds, Notice, pretty, Status, shortPath, Tabs } from './parts.tsx'
import { draftKey, drafts, SendAgain } from './send-again.tsx'
import { Stream } from './stream.tsx'
import { isEventStream } from './stream-events.ts'
import { WhyTab } from './why.tsx'

const formats: readonly (readonly [ExportFormat, string])[] = [
  ['curl', 'curl'],
  ['vitest', 'Vitest test'],
  ['playwright', 'Playwright test'],
]

export function Call({ id, sandbox }: { id: string; sandbox: string }) {
  // The entry is reloaded when the delivery ends.
  const summary = calls.value.findLast((call) => call.id === id && call.sandbox === sandbox)
  const here = { sandbox, entry: id }
  const { value: entry, problem } = useLoaded(() => loadCall(sandbox, id), [sandbox, id, summary?.delivery])
  const isOpened = useSignal<boolean | undefined>(undefined)
  useEffect(() => {
    if (isOpened.value) focus(entry?.requestText.text ? 'form [aria-label=Body]' : 'form input')
  }, [isOpened.value])
  if (!entry)
    return (
      <article class="detail" tabIndex={-1} aria-label="Call" aria-busy={!problem}>
        {problem && <Notice>{problem}</Notice>}
        {problem && <a href={hashWith(closed)}>Close</a>}
      </article>
    )
  const address = failedTest.value ? undefined : sandboxes.value.find(({ id }) => id === sandbox)
  const isSending = isOpened.value ?? drafts.has(draftKey(entry, sandbox))
  const exported = async (as: ExportFormat) => (await ask('exportCall', here, { query: { as } })).text
  return (
    <article class="detail" tabIndex={-1} aria-label="Call">
      <header>
        <h2 class="grow">
          <span class="method">{entry.method}</span> {entry.path}
        </h2>
        <a class="close" href={hashWith(closed)} aria-label="Close call details">
          ×
        </a>
      </header>
      <p class="bar muted">
        <Status call={entry} />
        <span>{entry.operation ?? 'no operation'}</span>
        {summary?.model && <span>{summary.model}</span>}
        <span>{milliseconds(entry.durationMs)}</span>
        {entry.firstByteMs !== null && entry.timeline.length > 0 && (
          <span>first byte {milliseconds(entry.firstByteMs)}</span>
        )}
        <span>sandbox {withName(sandbox, address?.name)}</span>
        <code>{id}</code>
      </p>
      {!failedTest.value && (
        <>
          <div class="bar">
            <button type="button" aria-expanded={isSending} onClick={() => (isOpened.value = !isSending)}>
              Edit and send again…
            </button>
            <FailNext
              sandbox={sandbox}
              operation={entry.operation ?? `${entry.method} ${shortPath(entry)}`}
            />
          </div>
          {isSending && address && <SendAgain entry={entry} address={address} />}
          <fieldset class="bar formats">
            <legend class="muted">Copy as</legend>
            {formats.map(([as, title]) => (
              <CopyButton key={as} text={() => exported(as)}>
                {title}
              </CopyButton>
            ))}
          </fieldset>
        </>
      )}
      <Details entry={entry} sandbox={sandbox} />
    </article>
  )
}

function Details({ entry, sandbox }: { entry: JournalEntry; sandbox: string }) {
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
        label="Call details"
        tabs={tabs}
        chosen={chosen}
        href={(tab) => hashWith({ tab: tab === 'why' ? undefined : tab })}
      />
      {chosen === 'why' && <WhyTab entry={entry} sandbox={sandbox} />}
      {chosen === 'request' && (
        <>
          <Conversation title="Conversation" turns={requestTurns(entry.body)} />
          {Object.keys(entry.query).length > 0 && <Pairs title="Query" pairs={entry.query} />}
          <Body {...entry.requestText} headers={entry.headers} />
        </>
      )}
      {chosen === 'reply' && (
        <>
          <Conversation title="Answer" turns={replyTurns(entry)} />
          <Body {...entry.responseBody} headers={entry.responseHeaders} />
        </>
      )}
      {chosen === 'stream' && <Stream key={`${sandbox} ${entry.id}`} entry={entry} />}
      {chosen === 'raw' && <Code text={JSON.stringify(entry, null, 2)} label="Journal entry" />}
    </>
  )
}

type HeadersAndText = JournalEntry['requestText'] & Pick<JournalEntry, 'headers'>

function Body({ text, truncatedBytes, headers }: HeadersAndText) {
  return (
    <>
      {text === '' ? <p class="muted">No body.</p> : <h3>Body</h3>}
      {text !== '' && <Code text={pretty(text)} label="Body" />}
      {truncatedBytes > 0 && <p class="muted">{truncatedBytes} more bytes were not stored.</p>}
      <Pairs title="Headers" pairs={headers} />
    </>
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
