/**
 * Scenarios: those in force in a sandbox and how often their rules have happened, those that come with the double, and
 * an editor for one's own.
 */
import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RuleProgress, ScenarioProgress } from '../../../scenarios/use.ts'
import { ask, open, useLoaded } from './api.ts'
import { shownCalls } from './calls-store.ts'
import { Editor } from './editor.tsx'
import { sandboxId } from './location.ts'
import { ActionButton, Empty, Notice, Scroller } from './parts.tsx'

/** Scenarios of this page's own that have been in force since it was opened: switched off, they can be had back. */
const own = signal<ReadonlyMap<string, ScenarioProgress>>(new Map())

/** What the editor holds; it stays while other screens are looked at. */
const beginning = `name: mine
description: The first answer is refused.
rules:
  - on: createResponse
    times: 1
    fault: { name: status, status: 503 }
`

export function Scenarios() {
  const id = sandboxId.value
  // Rules happen when calls come.
  const newest = shownCalls.value.at(-1)
  const active = useLoaded(
    () => ask('listActiveScenarios', { sandbox: id }),
    [id, newest?.id, newest?.startedAt],
  )
  const bundled = useLoaded(() => ask('listBundledScenarios', {}), [])
  const text = useSignal(beginning)
  const search = useSignal('')
  const inForce = active.value ?? []
  useEffect(() => {
    if (!active.value || !bundled.value) return
    const names = new Set(bundled.value.map(({ name }) => name))
    const others = active.value.filter(({ name }) => !names.has(name))
    if (others.length > 0)
      own.value = new Map([...own.value, ...others.map((each) => [each.name, each] as const)])
  }, [active.value, bundled.value])
  const toggle = async (name: string, isOn: boolean) => {
    const kept = own.value.get(name)
    if (isOn) await ask('deleteScenario', { sandbox: id, name })
    else await ask('putScenario', { sandbox: id, name }, { body: kept && sourceOf(kept) })
    active.reload()
  }
  const shown = [...own.value.values(), ...(bundled.value ?? [])].filter(({ name, description }) =>
    `${name} ${description ?? ''}`.toLowerCase().includes(search.value.toLowerCase()),
  )
  const edit = async (name: string) => {
    const kept = own.value.get(name)
    text.value = kept
      ? JSON.stringify(sourceOf(kept), null, 2)
      : await (await open('getBundledScenarioText', { name })).text()
    document.getElementById('editor')?.focus()
  }
  return (
    <div class="screen">
      {(active.problem || bundled.problem) && <Notice>{active.problem || bundled.problem}</Notice>}
      <section aria-label="In force">
        <div class="bar">
          <h2>In force</h2>
          <span class="grow" />
          <ActionButton
            run={async () => {
              await ask('resetScenarios', { sandbox: id })
              active.reload()
            }}
          >
            End all
          </ActionButton>
        </div>
        {inForce.length === 0 && (
          <Empty>No scenario is in force in this sandbox: every call is answered well.</Empty>
        )}
        {inForce.map((scenario) => (
          <Active key={scenario.id} scenario={scenario} end={() => toggle(scenario.id, true)} />
        ))}
      </section>
      <Editor text={text} sandbox={id} onUse={active.reload} />
      <section aria-label="All scenarios">
        <div class="bar">
          <h2>All</h2>
          <span class="muted">bundled, and own ones since this page was opened</span>
          <span class="grow" />
          <input
            type="search"
            aria-label="Search scenarios"
            placeholder="Search scenarios"
            value={search.value}
            onInput={(event) => (search.value = event.currentTarget.value)}
          />
        </div>
        <ul class="choices">
          {shown.map(({ name, description }) => {
            const isOn = inForce.some((each) => each.name === name)
            return (
              <li key={name}>
                <label class="switch">
                  <input
                    type="checkbox"
                    checked={isOn}
                    onChange={({ currentTarget }) => toggle(name, !currentTarget.checked)}
                  />
                  <span class="name">{name}</span>
                  {own.value.has(name) && <span class="tag">own</span>}
                </label>
                <span class="muted description">{description}</span>
                <button type="button" aria-label={`Edit a copy of ${name}`} onClick={() => edit(name)}>
                  Edit a copy
                </button>
              </li>
            )
          })}
        </ul>
      </section>
    </div>
  )
}

function Active({ scenario, end }: { scenario: ScenarioProgress; end: () => Promise<void> }) {
  return (
    <div class="card">
      <div class="bar">
        <h3>{scenario.name}</h3>
        <span class="muted description grow">{scenario.description}</span>
        <ActionButton run={end}>End</ActionButton>
      </div>
      <Scroller class="table" label={`Rules of ${scenario.name}`}>
        <table>
          <thead>
            <tr>
              <th>Rule</th>
              <th>On</th>
              <th>Does</th>
              <th class="number">Met</th>
              <th class="number">Happened</th>
              <th class="number">Left</th>
            </tr>
          </thead>
          <tbody>
            {scenario.rules.map((rule) => (
              <tr key={rule.rule}>
                <td>
                  {rule.rule} {rule.name}
                </td>
                <td>{rule.on.join(', ')}</td>
                <td>{effectOf(rule)}</td>
                <td class="number">{rule.seen}</td>
                <td class="number">
                  {rule.happened === 0 ? <span class="tag warn">unused</span> : rule.happened}
                </td>
                <td class="number">{rule.left ?? 'any'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </div>
  )
}

/** As it can be put in force again. */
function sourceOf({ name, description, rules }: ScenarioProgress): object {
  return { name, ...(description && { description }), rules: rules.map(({ source }) => source) }
}

function effectOf({
  source: { fault, faults = fault ? [fault] : [], reply, sequence, script, rateLimit, setState },
}: RuleProgress): string {
  const names = faults.map((each) => (typeof each === 'string' ? each : each.name))
  return [
    ...names,
    ...(reply ? ['scripted reply'] : []),
    ...(sequence ? [`sequence of ${sequence.length}`] : []),
    ...(script ? ['script'] : []),
    ...(rateLimit ? ['rateLimit'] : []),
    ...(setState === undefined ? [] : [`sets the state ${setState}`]),
  ].join(', ')
}
