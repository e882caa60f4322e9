/**
 * An editor for a scenario in YAML: checked while it is written, and tried on the calls that have been.
 */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { TextCheck } from '../../../control/check-text.ts'
import type { DryRun } from '../../../journal/dry-run.ts'
import { ask, messageOf } from './api.ts'
import { hashWith } from './location.ts'
import { ActionButton, TextArea } from './parts.tsx'

/** Milliseconds without a key before the text is checked. */
const restMs = 300

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
  const trial = useSignal<DryRun | undefined>(undefined)
  const problem = useSignal('')
  const written = text.value
  useEffect(() => {
    let isOld = false
    const timer = setTimeout(async () => {
      try {
        const found = await ask('checkScenario', {}, { body: { text: written } })
        const { scenario } = found
        const tried = scenario ? await ask('dryRunScenario', { sandbox }, { body: { scenario } }) : undefined
        if (isOld) return
        check.value = found
        trial.value = tried
        problem.value = ''
      } catch (error) {
        if (!isOld) problem.value = messageOf(error)
      }
    }, restMs)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [written, sandbox])
  const scenario = check.value?.scenario
  const use = async () => {
    if (!scenario) return
    await ask('putScenario', { sandbox, name: scenario.name }, { body: scenario })
    onUse()
    return `'${scenario.name}' is in force`
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
    <section aria-label="Own scenario">
      <h2>
        <label for="editor">Your own</label>
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
        {trial.value && <Trial trial={trial.value} sandbox={sandbox} />}
      </div>
      <ActionButton run={use} kind="primary" disabled={!scenario}>
        Put in force
      </ActionButton>
    </section>
  )
}

function Trial({ trial: { looked, met, calls }, sandbox }: { trial: DryRun; sandbox: string }) {
  if (looked === 0) return <p class="muted">There are no calls yet to try it on.</p>
  return (
    <>
      <p>
        Of the last {looked.toLocaleString('en')} {looked === 1 ? 'call' : 'calls'} this would meet{' '}
        <strong>{met.toLocaleString('en')}</strong>.
      </p>
      {met > 0 && (
        <details>
          <summary>Which ones</summary>
          <ul>
            {calls
              .slice(-50)
              .toReversed()
              .map(({ id, rule }) => (
                <li key={id}>
                  <a href={hashWith({ sandbox, call: id, in: sandbox }, 'calls')}>{id}</a> by rule {rule}
                </li>
              ))}
          </ul>
        </details>
      )}
    </>
  )
}
