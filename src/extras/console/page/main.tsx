/**
 * The console: a page that shows the calls of a running server and why each was answered as it was, and turns them into
 * tests. It uses the control API only, and sends nothing anywhere else. This file has the frame of every screen.
 */
import { useSignal } from '@preact/signals'
import { type ComponentChildren, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { needsToken, saveToken } from './api.ts'
import { Calls } from './calls.tsx'
import { loadCalls, problem, sandboxes, start } from './calls-store.ts'
import { Data } from './data.tsx'
import { connection } from './events.ts'
import { Figures } from './metrics.tsx'
import { Help, handleKey, isHelpOpen } from './keys.tsx'
import { chosenSandbox, go, hashWith, place, type View, views } from './location.ts'
import { Field, Notice } from './parts.tsx'
import { Sandboxes } from './sandboxes.tsx'
import { Scenarios } from './scenarios.tsx'
import { Try } from './try.tsx'

const screens: Record<View, readonly [title: string, Screen: () => ComponentChildren]> = {
  calls: ['Calls', Calls],
  scenarios: ['Scenarios', Scenarios],
  data: ['Data', Data],
  sandboxes: ['Sandboxes', Sandboxes],
  figures: ['Figures', Figures],
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
      {/* Figures have nothing else that takes the focus, and may have to be scrolled. */}
      <main tabIndex={view === 'figures' ? 0 : undefined}>
        {problem.value && !needsToken.value && <Notice>{problem}</Notice>}
        {needsToken.value ? <Token /> : <Screen />}
      </main>
      {isHelpOpen.value && <Help />}
    </>
  )
}

function SandboxPicker() {
  const { view } = place.value
  const canShowAll = view === 'calls' || view === 'figures'
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
  const words = { connecting: 'Connecting', live: 'Live', lost: 'Server not reached' }
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
      <h2>This server wants a token</h2>
      <p>It is what the server was started with, or printed. It stays in this tab until the tab is closed.</p>
      <Field label="Token" isSecret value={token} />
      <button type="submit" class="primary" disabled={token.value.trim() === ''}>
        Use this token
      </button>
    </form>
  )
}

const root = document.getElementById('app')
if (root) render(<App />, root)
