/** Active scenarios with the progress of their rules, bundled scenarios, and an editor for custom ones. */
import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ScenarioProgress } from '../../../scenarios/activation.ts'
import { ask, useLoaded } from './api.ts'
import { shownCalls } from './calls-store.ts'
import { param, sandboxId } from './location.ts'
import { ActionButton, Empty, Notice, Scroller, withCode } from './parts.tsx'
import { ScenarioEditor } from './scenario-editor.tsx'

/** Custom scenarios that were active at some time since the page was opened. Users can activate them again. */
const custom = signal<ReadonlyMap<string, ScenarioProgress>>(new Map())

const template = `name: mine
description: The first request is rejected.
rules:
  - on: createResponse
    times: 1
    fault: { name: status, status: 503 }
`

export function Scenarios() {
  const id = sandboxId.value
  // New calls change the rules' progress.
  const newest = shownCalls.value.at(-1)
  const active = useLoaded(
    () => ask('listActiveScenarios', { sandbox: id }),
    [id, newest?.id, newest?.startedAt],
  )
  const bundled = useLoaded(() => ask('listBundledScenarios', {}), [])
  const text = useSignal(template)
  const search = useSignal('')
  const activeScenarios = active.value ?? []
  useEffect(() => {
    if (!active.value || !bundled.value) return
    const names = new Set(bundled.value.map(({ name }) => name))
    const others = active.value.filter(({ name }) => !names.has(name))
    if (others.length > 0)
      custom.value = new Map([...custom.value, ...others.map((each) => [each.name, each] as const)])
  }, [active.value, bundled.value])
  const toggle = async (name: string, isOn: boolean) => {
    const source = custom.value.get(name)
    if (isOn) await ask('deleteScenario', { sandbox: id, name })
    else await ask('putScenario', { sandbox: id, name }, { body: source && sourceOf(source) })
    active.reload()
  }
  const shown = [...custom.value.values(), ...(bundled.value ?? [])].filter(({ name, description }) =>
    `${name} ${description ?? ''}`.toLowerCase().includes(search.value.toLowerCase()),
  )
  const edit = async (name: string) => {
    const source = custom.value.get(name)
    const scenario = source ? sourceOf(source) : await ask('getBundledScenario', { name })
    show(JSON.stringify(scenario, null, 2))
  }
  const show = (scenario: string) => {
    text.value = scenario
    document.getElementById('scenario-editor')?.focus()
  }
  return (
    <div class="screen">
      {(active.problem || bundled.problem) && <Notice>{active.problem || bundled.problem}</Notice>}
      <section aria-label="Active scenarios">
        <div class="bar">
          <h2>Active</h2>
          <span class="grow" />
          <ActionButton
            question={`Deactivate all scenarios in sandbox '${id}' except its initial ones? The rules' counters are reset.`}
            disabled={activeScenarios.length === 0}
            run={async () => {
              await ask('resetScenarios', { sandbox: id })
              active.reload()
            }}
          >
            Deactivate all
          </ActionButton>
        </div>
        {activeScenarios.length === 0 && <Empty>No active scenarios, so no failures are simulated.</Empty>}
        {activeScenarios.map((scenario) => (
          <Active
            key={scenario.id}
            scenario={scenario}
            edit={() => show(JSON.stringify(sourceOf(scenario), null, 2))}
            deactivate={() => toggle(scenario.id, true)}
          />
        ))}
      </section>
      <ScenarioEditor text={text} sandbox={id} onUse={active.reload} />
      <section aria-label="All scenarios">
        <div class="bar">
          <h2>All</h2>
          <span class="muted">bundled, and custom scenarios activated since the page was opened</span>
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
            const isOn = activeScenarios.some((each) => each.name === name)
            return (
              <li key={name}>
                <label class="switch">
                  <input
                    type="checkbox"
                    checked={isOn}
                    onChange={({ currentTarget }) => toggle(name, !currentTarget.checked)}
                  />
                  <span class="name">{name}</span>
                  {custom.value.has(name) && <span class="tag">custom</span>}
                </label>
                <span class="muted description">{withCode(description)}</span>
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

function Active({
  scenario,
  edit,
  deactivate,
}: {
  scenario: ScenarioProgress
  edit: () => void
  deactivate: () => Promise<void>
}) {
  /** Row of the rule that the URL names, if the user followed a call's link. */
  const linked = useRef<HTMLTableRowElement>(null)
  const isLinked = (rule: ScenarioProgress['rules'][number]) =>
    param('rule') === `${scenario.name}#${rule.rule}`
  useEffect(() => linked.current?.scrollIntoView({ block: 'nearest' }), [param('rule')])
  return (
    <div class="card">
      <div class="bar">
        <h3>{scenario.name}</h3>
        <span class="muted description grow">{withCode(scenario.description)}</span>
        <button type="button" aria-label={`Edit ${scenario.name}`} onClick={edit}>
          Edit
        </button>
        <ActionButton run={deactivate}>Deactivate</ActionButton>
      </div>
      <Scroller class="table" label={`Rules in ${scenario.name}`}>
        <table>
          <thead>
            <tr>
              <th>Rule</th>
              <th>On</th>
              <th>Effect</th>
              <th class="number">Matched</th>
              <th class="number">Applied</th>
              <th class="number">Remaining</th>
            </tr>
          </thead>
          <tbody>
            {scenario.rules.map((rule) => (
              <tr
                key={rule.rule}
                ref={isLinked(rule) ? linked : undefined}
                class={isLinked(rule) ? 'chosen' : undefined}
              >
                <td>
                  {rule.rule} {rule.name}
                </td>
                <td>{rule.on.join(', ')}</td>
                <td>{effectOf(rule)}</td>
                <td class="number">{rule.matched}</td>
                <td class="number">
                  {rule.applied === 0 ? <span class="tag warn">unused</span> : rule.applied}
                </td>
                <td class="number">{rule.remaining ?? 'unlimited'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </div>
  )
}

/** Returns the scenario in a form that can be activated again. */
function sourceOf({ name, description, rules }: ScenarioProgress): object {
  return { name, ...(description && { description }), rules: rules.map(({ source }) => source) }
}

function effectOf({
  source: { fault = [], reply, sequence, script, rateLimit, setState },
}: ScenarioProgress['rules'][number]): string {
  const names = [fault]
    .flat()
    .map((each) => (typeof each === 'string' ? each : each.name))
    .filter((name) => !(rateLimit && name === 'rate-limit'))
  return [
    ...names,
    ...(reply ? ['scripted reply'] : []),
    ...(sequence ? [`sequence of ${sequence.length}`] : []),
    ...(script ? ['script'] : []),
    ...(rateLimit ? ['rate limit'] : []),
    ...(setState === undefined ? [] : [`sets state to ${setState}`]),
  ].join(', ')
}
