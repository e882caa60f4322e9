/**
 * The scenario editor: a form or text, which is checked and dry-run against past calls while the user edits
 * it.
 */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { DryRun } from '../../../journal/dry-run.ts'
import type { FormSchema, ScenarioDraft } from '../drafts.ts'
import { ask, askConsole, messageOf, useLoaded } from './api.ts'
import { calls } from './calls-store.ts'
import { go, hashWith, param } from './location.ts'
import { ActionButton, parsed, Status, Tabs, TextArea } from './parts.tsx'
import { type Path, resolved, withValueAt } from './schema.ts'
import { SchemaForm } from './schema-form.tsx'

/** Time without edits after which the draft is checked, in milliseconds. */
const debounceMs = 300
/** Time after which the draft is tried against new calls, in milliseconds. */
const retryMs = 1000
/** Maximum number of matching calls to list. */
const maxListed = 50

export function ScenarioEditor({
  text,
  sandbox,
  scenarioNames,
  onUse,
}: {
  text: Signal<string>
  sandbox: string
  scenarioNames: readonly string[]
  onUse: () => void
}) {
  const draft = useSignal<(ScenarioDraft & { text: string }) | undefined>(undefined)
  const problem = useSignal('')
  const written = text.value
  const tries = useSignal(0)
  const retry = useRef(0)
  const newest = calls.value.at(-1)
  useEffect(() => {
    if (retry.current !== 0) return
    retry.current = window.setTimeout(() => {
      retry.current = 0
      tries.value++
    }, retryMs)
  }, [newest?.id])
  useEffect(() => {
    let isStale = false
    const check = async () => {
      try {
        const at = `/sandboxes/${encodeURIComponent(sandbox)}/drafts` as const
        const checked = await askConsole<ScenarioDraft>(`POST ${at}`, { text: written })
        if (isStale) return
        draft.value = { ...checked, text: written }
        problem.value = ''
      } catch (error) {
        if (!isStale) problem.value = messageOf(error)
      }
    }
    const timer = setTimeout(check, draft.value ? debounceMs : 0)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [written, sandbox, tries.value])
  const isForm = param('as') !== 'text'
  const checked = draft.value
  const scenario = checked?.text === written ? checked.scenario : undefined
  const use = async () => {
    if (!scenario) return
    await ask('putScenario', { sandbox, name: scenario.name }, { body: scenario })
    onUse()
    return `'${scenario.name}' is active`
  }
  const problems = checked?.problems ?? []
  return (
    <section aria-label="Scenario editor" id="scenario-editor" tabIndex={-1}>
      <h2>Custom scenario</h2>
      <Tabs
        label="Editor"
        tabs={[
          ['form', 'Form'],
          ['text', 'Text'],
        ]}
        chosen={isForm ? 'form' : 'text'}
        href={(as) => hashWith({ as: as === 'form' ? undefined : as })}
      />
      {isForm ? (
        <ScenarioForm text={text} draft={checked} sandbox={sandbox} scenarioNames={scenarioNames} />
      ) : (
        <TextArea
          id="editor"
          label="Scenario (YAML or JSON)"
          minRows={8}
          describedBy="editor-verdict"
          value={text}
        />
      )}
      <div id="editor-verdict" class="verdict" aria-live="polite">
        {problem.value && <p class="bad">{problem}</p>}
        {isForm && problems.length > 0 ? (
          <p class="bad">{problems.length === 1 ? '1 problem' : `${problems.length} problems`}</p>
        ) : (
          <ul>
            {problems.map(({ line, column, message }) => (
              <li key={`${line}:${column}:${message}`}>
                <button type="button" class="link" onClick={() => select(written, line, column)}>
                  Line {line}, column {column}
                </button>
                : {message}
              </li>
            ))}
          </ul>
        )}
        {checked?.dryRun && <DryRunResult dryRun={checked.dryRun} sandbox={sandbox} />}
      </div>
      <ActionButton run={use} kind="primary" disabled={!scenario}>
        Activate
      </ActionButton>
    </section>
  )
}

/** Selects a character in the text. */
function select(text: string, line: number, column: number): void {
  const area = document.getElementById('editor') as HTMLTextAreaElement
  const before = text.split('\n').slice(0, line - 1)
  const offset = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1
  area.focus()
  area.setSelectionRange(offset, offset + 1)
}

/** Matches the place at the start of a message. The form omits it, because it shows each problem at its field. */
const place = /^(?:scenario|rule \d+ of) '[^']*': /

function ScenarioForm({
  text,
  draft,
  sandbox,
  scenarioNames,
}: {
  text: Signal<string>
  draft: (ScenarioDraft & { text: string }) | undefined
  sandbox: string
  scenarioNames: readonly string[]
}) {
  const form = useLoaded(
    () => askConsole<FormSchema>(`GET /sandboxes/${encodeURIComponent(sandbox)}/scenario-form`),
    [sandbox],
  )
  const wanted = useRef('')
  const value = parsed(text.value) ?? (draft?.text === text.value ? draft.value : undefined)
  if (form.problem) return <p class="bad">{form.problem}</p>
  if (!form.value || value === undefined) return <p class="muted">Loading…</p>
  if (typeof value !== 'object' || value === null)
    return (
      <>
        <p class="bad">The text is not a scenario, so the form cannot show it.</p>
        {draft?.problems.map(({ message }) => (
          <p key={message}>{message}</p>
        ))}
        <p>
          <button type="button" onClick={() => go({ as: 'text' })}>
            Edit text
          </button>
        </p>
      </>
    )
  const { schema: root, names } = form.value
  // The text can also be a single rule.
  const isRule = !Object.hasOwn(value, 'rules') && Object.hasOwn(value, 'on')
  const schema = isRule ? resolved((root as RuleList).properties.rules.items, root) : root
  const { dryRun, problems = [] } = draft ?? {}
  return (
    <SchemaForm
      label={isRule ? 'Rule' : 'Scenario'}
      schema={schema}
      value={value}
      form={{
        root,
        problems: problems.map(({ path, message }) => ({ path, message: message.replace(place, '') })),
        namesFor(path: Path) {
          const name = path.findLast((step) => typeof step === 'string') ?? ''
          if (path.length === 1 && name === 'name') return scenarioNames
          return path.includes('when') && Object.hasOwn(names, name) ? (names[name] ?? []) : []
        },
        noteOn(path) {
          if (!dryRun || dryRun.looked === 0 || path[0] !== 'rules' || path.length !== 2) return undefined
          const met = dryRun.rules.find(({ rule }) => rule === Number(path[1]) + 1)?.met ?? 0
          return `Would apply to ${met} of the last ${dryRun.looked} ${dryRun.looked === 1 ? 'call' : 'calls'}`
        },
        change: (path, next) => (text.value = JSON.stringify(withValueAt(value, path, next), null, 2)),
        wanted,
      }}
    />
  )
}

interface RuleList {
  properties: { rules: { items: object } }
}

function DryRunResult({
  dryRun: { looked, met, calls: found },
  sandbox,
}: {
  dryRun: DryRun
  sandbox: string
}) {
  if (looked === 0) return <p class="muted">No calls to test against yet.</p>
  const rows = new Map(calls.value.filter((call) => call.sandbox === sandbox).map((call) => [call.id, call]))
  return (
    <>
      <p>
        Would match <strong>{met.toLocaleString('en')}</strong> of the last {looked.toLocaleString('en')}{' '}
        {looked === 1 ? 'call' : 'calls'}.
      </p>
      {met > 0 && (
        <details open={met <= 5}>
          <summary>Matching calls</summary>
          <ul class="matching">
            {found
              .slice(-maxListed)
              .toReversed()
              .map(({ id, rule }) => {
                const row = rows.get(id)
                return (
                  <li key={id}>
                    <span class="muted">rule {rule}</span>{' '}
                    <a href={hashWith({ sandbox, call: id, in: sandbox }, 'calls')}>{id}</a>{' '}
                    {row && (
                      <>
                        <Status status={row.status} delivery={row.delivery} /> {row.method}{' '}
                        {row.path.replace(/^.*\/api\/v1(?=\/)/, '')} <span class="muted">{row.input}</span>
                      </>
                    )}
                  </li>
                )
              })}
          </ul>
        </details>
      )}
    </>
  )
}
