/** The scenario editor, which checks the text and tries it on past calls while the user types. */
import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { CheckedDraft, DryRun } from '../drafts.ts'
import { ask, askConsole, messageOf } from './api.ts'
import { calls, titleOfCall } from './calls-store.ts'
import { hashWith } from './location.ts'
import { ActionButton, focus, TextArea } from './parts.tsx'

/** Time between checks of the text, and trials on new calls, in milliseconds. */
const pauseMs = 300
/** Maximum number of matching calls to list. */
const maxListed = 50

const template = `name: mine
description: The first request is rejected.
rules:
  - on: createResponse
    times: 1
    fault: { name: status, status: 503 }
`

/** The editor's text, which is kept while the page is open. */
const text = signal(template)
/** The text that was last loaded or activated. */
const saved = signal(template)

/** Loads a scenario into the editor. */
export function EditButton({ scenario }: { scenario: { name: string } }) {
  const edit = async () => {
    text.value = saved.value = JSON.stringify(scenario, null, 2)
    focus('#scenario-editor')
  }
  const question =
    text.value === saved.value ? undefined : 'Replace the text in the editor? Your changes will be lost.'
  return (
    <ActionButton label={`Edit ${scenario.name}`} run={edit} question={question}>
      Edit
    </ActionButton>
  )
}

export function ScenarioEditor({ sandbox, onUse }: { sandbox: string; onUse: () => void }) {
  const draft = useSignal<(CheckedDraft & { text: string; position: number }) | undefined>(undefined)
  const problem = useSignal('')
  const written = text.value
  /** Caret position, at which names are completed. */
  const caret = useSignal(0)
  const onMove = () => (caret.value = area()?.selectionStart ?? 0)
  const timer = useRef(0)
  const check = async () => {
    timer.current = 0
    const sent = { text: text.value, position: area()?.selectionStart ?? 0 }
    try {
      const path = `/sandboxes/${encodeURIComponent(sandbox)}/drafts` as const
      const checked = await askConsole<CheckedDraft>(`POST ${path}`, sent)
      if (sent.text === text.value) draft.value = { ...checked, ...sent }
      problem.value = ''
    } catch (error) {
      problem.value = messageOf(error)
    }
  }
  useEffect(() => {
    timer.current ||= window.setTimeout(check, draft.value ? pauseMs : 0)
  }, [written, caret.value, calls.value.at(-1)?.id])
  const checked = draft.value
  const scenario = checked?.text === written ? checked.scenario : null
  const use = async () => {
    if (!scenario) return
    await ask('putScenario', { sandbox, name: scenario.name }, { body: scenario })
    saved.value = written
    onUse()
    return `'${scenario.name}' is active`
  }
  const insert = (name: string) => {
    const element = area()
    if (!checked || !element) return
    element.setRangeText(name, checked.completions.from, checked.position, 'end')
    element.focus()
    text.value = element.value
  }
  return (
    <section aria-label="Scenario editor" id="scenario-editor" tabIndex={-1}>
      <h2>Custom scenario</h2>
      <TextArea
        id="editor"
        label="Scenario (YAML or JSON)"
        minRows={8}
        aria-describedby="editor-verdict"
        onKeyUp={onMove}
        onClick={onMove}
        value={text}
      />
      <fieldset class="bar completions" aria-label="Complete with">
        {checked?.text === written &&
          checked.completions.options.map(({ name, insert: inserted }) => (
            <button key={name} type="button" onClick={() => insert(inserted)}>
              {name}
            </button>
          ))}
      </fieldset>
      <div id="editor-verdict" class="verdict" aria-live="polite">
        {problem.value && <p class="bad">{problem}</p>}
        <ul class="bad">
          {checked?.problems.map(({ line, column, message }) => (
            <li key={`${line}:${column}:${message}`}>
              <button type="button" class="link" onClick={() => select(written, line, column)}>
                Line {line}, column {column}
              </button>
              : {message}
            </li>
          ))}
        </ul>
        {checked?.dryRun && <DryRunResult dryRun={checked.dryRun} sandbox={sandbox} />}
      </div>
      <ActionButton run={use} kind="primary" disabled={!scenario}>
        Activate
      </ActionButton>
    </section>
  )
}

function area(): HTMLTextAreaElement | null {
  return document.querySelector('#editor')
}

function select(text: string, line: number, column: number): void {
  const before = text.split('\n').slice(0, line - 1)
  const offset = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1
  area()?.focus()
  area()?.setSelectionRange(offset, offset + 1)
}

function DryRunResult({ dryRun, sandbox }: { dryRun: DryRun; sandbox: string }) {
  const { tested, calls: matching } = dryRun
  if (tested === 0) return <p class="muted">No calls to test against yet.</p>
  const summary = (
    <>
      Would match <strong>{matching.length}</strong> of the last {tested} {tested === 1 ? 'call' : 'calls'}.
    </>
  )
  if (matching.length === 0) return <p>{summary}</p>
  return (
    <details open={matching.length <= 5}>
      <summary>{summary}</summary>
      <ul class="matching">
        {matching.slice(0, maxListed).map(({ id, rule }) => (
          <li key={id}>
            <span class="muted">rule {rule}</span>{' '}
            <a class="id" title={id} href={hashWith({ call: id, in: sandbox }, 'calls')}>
              {titleOfCall(sandbox, id)}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}
