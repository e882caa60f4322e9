/** Layout that all screens of the console share. */
import { useSignal } from '@preact/signals'
import { type ComponentChildren, render } from 'preact'
import { useEffect } from 'preact/hooks'
import { saveToken, tokenProblem } from './api.ts'
import { Calls } from './calls.tsx'
import {
  isChosenGone,
  loadCalls,
  pausedCalls,
  problem,
  sandboxes,
  showFailedTest,
  start,
  withName,
} from './calls-store.ts'
import { connection, wasRestarted } from './changes.ts'
import { Data } from './data.tsx'
import { failedTest } from './failed-test.ts'
import { chosenSandbox, closed, go, hashWith, place, sandboxId, type View, views } from './location.ts'
import { ActionButton, Notice, toast } from './parts.tsx'
import { Sandboxes } from './sandboxes.tsx'
import { Scenarios } from './scenarios.tsx'

const screens: Record<View, readonly [title: string, Screen: () => ComponentChildren]> = {
  calls: ['Calls', Calls],
  scenarios: ['Scenarios', Scenarios],
  data: ['Data', Data],
  sandboxes: ['Sandboxes', Sandboxes],
}

/** Views that show a failed test's file. */
const viewsOfFile = ['calls', 'scenarios'] as const

function App() {
  useEffect(() => {
    start()
    addEventListener('dragover', (event) => event.preventDefault())
    addEventListener('drop', (event) => {
      event.preventDefault()
      if (event.dataTransfer?.files[0]) void showFailedTest(event.dataTransfer.files[0])
    })
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
          {(failedTest.value ? viewsOfFile : views).map((each) => (
            <a key={each} href={hashWith({}, each)} aria-current={each === view ? 'page' : undefined}>
              {screens[each][0]}
            </a>
          ))}
        </nav>
        {failedTest.value ? (
          <span class="tag warn">From a file</span>
        ) : (
          [<SandboxPicker key="picker" />, <Connection key="connection" />]
        )}
      </header>
      <main>
        <Notices />
        {tokenProblem.value ? <Token /> : <Screen />}
      </main>
      <p class="toast" role="status">
        {toast}
      </p>
    </>
  )
}

function Notices() {
  if (tokenProblem.value) return null
  const file = failedTest.value
  if (file)
    return (
      <div class="notice bar">
        <span class="grow">
          Failed test <strong>{file.test}</strong>, in sandbox {file.sandbox}. The file is read-only.
        </span>
        <ActionButton run={() => showFailedTest(undefined)}>Close file</ActionButton>
        {problem.value && <Notice>{problem}</Notice>}
      </div>
    )
  if (connection.value === 'lost')
    return (
      <Notice>
        No connection to {location.origin}: the server was stopped or cannot be reached. This page may be
        outdated. Retrying every second.
      </Notice>
    )
  return (
    <>
      {wasRestarted.value && (
        <Notice>
          The server was restarted. Its earlier calls and sandboxes are lost.{' '}
          <button type="button" onClick={() => (wasRestarted.value = false)}>
            Dismiss
          </button>
        </Notice>
      )}
      {isChosenGone.value && (
        <Notice>
          Sandbox '{chosenSandbox}' no longer exists: it was deleted, or it expired because it was idle.{' '}
          <a href={hashWith({ sandbox: undefined, call: undefined, in: undefined })}>Show all sandboxes</a>
        </Notice>
      )}
      {problem.value && <Notice>{problem}</Notice>}
    </>
  )
}

function SandboxPicker() {
  const { view } = place.value
  const canShowAll = view === 'calls'
  const chosen = canShowAll ? chosenSandbox.value : sandboxId.value
  const names = new Map(sandboxes.value.map(({ id, name }) => [id, name]))
  const ids = [...new Set(['default', ...names.keys(), chosen])].filter((id) => id !== '*')
  const choose = (id: string) => go({ ...closed, sandbox: id === '*' ? undefined : id })
  return (
    <select
      class="picker"
      aria-label="Sandbox"
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {canShowAll && <option value="*">All sandboxes</option>}
      {ids.map((id) => (
        <option key={id} value={id}>
          {id === 'default' ? 'Default sandbox' : withName(id, names.get(id))}
        </option>
      ))}
    </select>
  )
}

function Connection() {
  const states = {
    connecting: ['muted', 'Connecting'],
    live: pausedCalls.value ? ['warn', 'Paused'] : ['good', 'Live'],
    lost: ['bad', 'Disconnected'],
  } as const
  const [kind, text] = states[tokenProblem.value ? 'lost' : connection.value]
  return (
    <span class={kind} role="status">
      {text}
    </span>
  )
}

/** Asks for the token if the server requires one. */
function Token() {
  const token = useSignal('')
  const isRefused = tokenProblem.value === 'refused'
  const submit = (event: Event) => {
    event.preventDefault()
    saveToken(token.value.trim())
    void loadCalls()
  }
  return (
    <form class="card token" onSubmit={submit}>
      <h2>{isRefused ? 'Token rejected' : 'Token required'}</h2>
      <p>
        {isRefused && "The server did not accept this tab's token. "}
        Enter the token you started the server with, or the one it printed at startup. The token is kept until
        you close this tab.
      </p>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          value={token}
          onInput={({ currentTarget: { value } }) => (token.value = value)}
        />
      </label>
      <button type="submit" class="primary" disabled={token.value.trim() === ''}>
        Connect
      </button>
    </form>
  )
}

const root = document.getElementById('app')
if (root) render(<App />, root)
