/**
 * The console: shows the calls of a running server, explains the replies, and exports calls as tests. It uses only the
 * control API. This file is the layout shared by every screen.
 */
import { useSignal } from '@preact/signals'
import { type ComponentChildren, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { needsToken, saveToken } from './api.ts'
import { Calls } from './calls.tsx'
import { loadCalls, problem, sandboxes, start } from './calls-store.ts'
import { Data } from './data.tsx'
import { connection } from './events.ts'
import { Help, handleKey, isHelpOpen } from './keys.tsx'
import { chosenSandbox, go, hashWith, place, type View, views } from './location.ts'
import { Metrics } from './metrics.tsx'
import { Field, Notice } from './parts.tsx'
import { Sandboxes } from './sandboxes.tsx'
import { Scenarios } from './scenarios.tsx'
import { Try } from './try.tsx'

const screens: Record<View, readonly [title: string, Screen: () => ComponentChildren]> = {
  calls: ['Calls', Calls],
  scenarios: ['Scenarios', Scenarios],
  data: ['Data', Data],
  sandboxes: ['Sandboxes', Sandboxes],
  metrics: ['Metrics', Metrics],
  try: ['Try', Try],
}

function App() {
  useEffect(() => {
    start()
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  }, [])
  const { view } = place.value
  const [title, Screen] = screens[view]
  useEffect(() => {
    document.title = `${title} · Understudy`
  }, [title])
  return (
    <>
      <header class="top">
        <h1>Understudy</h1>
        <nav class="screens" aria-label="Screens">
          {views.map((each) => (
            <a key={each} href={hashWith({}, each)} aria-current={each === view ? 'page' : undefined}>
              {screens[each][0]}
            </a>
          ))}
        </nav>
        <SandboxPicker />
        <Connection />
        <button
          type="button"
          class="plain"
          aria-label="Keyboard shortcuts"
          onClick={() => (isHelpOpen.value = true)}
        >
          ?
        </button>
      </header>
      {/* The metrics screen has no focusable element, but must be scrollable by keyboard. */}
      <main tabIndex={view === 'metrics' ? 0 : undefined}>
        {problem.value && !needsToken.value && <Notice>{problem}</Notice>}
        {needsToken.value ? <Token /> : <Screen />}
      </main>
      {isHelpOpen.value && <Help />}
    </>
  )
}

function SandboxPicker() {
  const { view } = place.value
  const canShowAll = view === 'calls' || view === 'metrics'
  const chosen = canShowAll || chosenSandbox.value !== '*' ? chosenSandbox.value : 'default'
  const ids = [...new Set(['default', ...sandboxes.value.map(({ id }) => id), chosen])].filter(
    (id) => id !== '*',
  )
  const choose = (id: string) => go({ sandbox: id === '*' ? undefined : id, call: undefined })
  return (
    <label class="picker">
      <span class="visually-hidden">Sandbox</span>
      <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
        {canShowAll && <option value="*">All sandboxes</option>}
        {ids.map((id) => (
          <option key={id} value={id}>
            {id === 'default' ? 'Default sandbox' : id}
          </option>
        ))}
      </select>
    </label>
  )
}

function Connection() {
  const words = { connecting: 'Connecting', live: 'Live', lost: 'Disconnected' }
  return (
    <span class={`connection ${connection.value}`} role="status">
      {words[connection.value]}
    </span>
  )
}

/** Asks for the token if the server requires one. */
function Token() {
  const token = useSignal('')
  const submit = (event: Event) => {
    event.preventDefault()
    saveToken(token.value.trim())
    void loadCalls()
  }
  return (
    <form class="card token" onSubmit={submit}>
      <h2>Token required</h2>
      <p>
        Enter the token you started the server with, or the one it printed at startup. The token is kept until
        you close this tab.
      </p>
      <Field label="Token" isSecret value={token} />
      <button type="submit" class="primary" disabled={token.value.trim() === ''}>
        Connect
      </button>
    </form>
  )
}

const root = document.getElementById('app')
if (root) render(<App />, root)
