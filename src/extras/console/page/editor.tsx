/**
 * Scenario editor: checks the text while it is typed, and dry-runs it against past calls.
 */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { TextCheck } from '../../../control/check-text.ts'
import type { DryRun } from '../../../journal/dry-run.ts'
import { ask, messageOf } from './api.ts'
import { hashWith } from './location.ts'
import { ActionButton, TextArea } from './parts.tsx'

/** Debounce of the check in milliseconds. */
const debounceMs = 300

export function Editor({
  text,
  sandbox,
  onUse,
}: {
  text: Signal<string>
  sandbox: string
  onUse: () => void
}) {
  const check = useSignal<TextCheck | undefined>(undefined)
  const dryRun = useSignal<DryRun | undefined>(undefined)
  const problem = useSignal('')
  const written = text.value
  useEffect(() => {
    let isStale = false
    const timer = setTimeout(async () => {
      try {
        const result = await ask('checkScenario', {}, { body: { text: written } })
        const { scenario } = result
        const dryRunResult = scenario
          ? await ask('dryRunScenario', { sandbox }, { body: { scenario } })
          : undefined
        if (isStale) return
        check.value = result
        dryRun.value = dryRunResult
        problem.value = ''
      } catch (error) {
        if (!isStale) problem.value = messageOf(error)
      }
    }, debounceMs)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [written, sandbox])
  const scenario = check.value?.scenario
  const use = async () => {
    if (!scenario) return
    await ask('putScenario', { sandbox, name: scenario.name }, { body: scenario })
    onUse()
    return `'${scenario.name}' is active`
  }
  const select = (line: number, column: number) => {
    const area = document.getElementById('editor') as HTMLTextAreaElement
    const offset =
      written
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length +
      (line > 1 ? 1 : 0) +
      column -
      1
    area.focus()
    area.setSelectionRange(offset, offset + 1)
  }
  return (
    <section aria-label="Scenario editor">
      <h2>
        <label for="editor">Custom scenario</label>
      </h2>
      <TextArea id="editor" minRows={8} describedBy="editor-verdict" value={text} />
      <div id="editor-verdict" class="verdict" aria-live="polite">
        {problem.value && <p class="bad">{problem}</p>}
        <ul>
          {check.value?.problems.map(({ line, column, message }) => (
            <li key={`${line}:${column}:${message}`}>
              <button type="button" class="link" onClick={() => select(line, column)}>
                Line {line}, column {column}
              </button>
              : {message}
            </li>
          ))}
        </ul>
        {dryRun.value && <DryRunResult dryRun={dryRun.value} sandbox={sandbox} />}
      </div>
      <ActionButton run={use} kind="primary" disabled={!scenario}>
        Activate
      </ActionButton>
    </section>
  )
}

function DryRunResult({ dryRun: { looked, met, calls }, sandbox }: { dryRun: DryRun; sandbox: string }) {
  if (looked === 0) return <p class="muted">No calls to test against yet.</p>
  return (
    <>
      <p>
        Would match <strong>{met.toLocaleString('en')}</strong> of the last {looked.toLocaleString('en')}{' '}
        {looked === 1 ? 'call' : 'calls'}.
      </p>
      {met > 0 && (
        <details>
          <summary>Show matching calls</summary>
          <ul>
            {calls
              .slice(-50)
              .toReversed()
              .map(({ id, rule }) => (
                <li key={id}>
                  <a href={hashWith({ sandbox, call: id, in: sandbox }, 'calls')}>{id}</a> (rule {rule})
                </li>
              ))}
          </ul>
        </details>
      )}
    </>
  )
}
