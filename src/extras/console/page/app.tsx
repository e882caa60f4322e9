/**
 * The frame of every screen: where one is, which sandbox, and whether the server is heard.
 */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { needsToken } from './api.ts'
import { Calls } from './calls.tsx'
import { problem, sandboxes, start } from './calls-store.ts'
import { Data } from './data.tsx'
import { connection } from './events.ts'
import { Figures } from './figures.tsx'
import { Help } from './help.tsx'
import { handleKey, isHelpOpen } from './keys.ts'
import { chosenSandbox, go, hashWith, place, type View, views } from './location.ts'
import { Notice } from './parts/notice.tsx'
import { Sandboxes } from './sandboxes.tsx'
import { Scenarios } from './scenarios.tsx'
import { Token } from './token.tsx'
import { Try } from './try.tsx'

const screens: Record<View, () => ComponentChildren> = {
  calls: Calls,
  scenarios: Scenarios,
  data: Data,
  sandboxes: Sandboxes,
  figures: Figures,
  try: Try,
}

const titles: Record<View, string> = {
  calls: 'Calls',
  scenarios: 'Scenarios',
  data: 'Data',
  sandboxes: 'Sandboxes',
  figures: 'Figures',
  try: 'Try',
}

export function App() {
  useEffect(() => {
    start()
    addEventListener('keydown', handleKey)
    return () => removeEventListener('keydown', handleKey)
  }, [])
  const { view } = place.value
  useEffect(() => {
    document.title = `${titles[view]} · Understudy`
  }, [view])
  const Screen = screens[view]
  return (
    <>
      <header class="top">
        <h1>Understudy</h1>
        <nav class="screens" aria-label="Screens">
          {views.map((each) => (
            <a key={each} href={hashWith({}, each)} aria-current={each === view ? 'page' : undefined}>
              {titles[each]}
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
