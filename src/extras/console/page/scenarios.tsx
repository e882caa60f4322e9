/** Active scenarios with the progress of their rules, bundled scenarios, and an editor for custom ones. */
import { useEffect, useRef } from 'preact/hooks'
import type { ScenarioProgress } from '../../../scenarios/activation.ts'
import type { Scenario } from '../../../scenarios/scenario.ts'
import type { FailedTest } from '../failed-test.ts'
import { ask, askConsole, useLoaded } from './api.ts'
import { shownCalls } from './calls-store.ts'
import { FailNext } from './fail-next.tsx'
import { failedTest } from './failed-test.ts'
import { hashWith, param, sandboxId } from './location.ts'
import { ActionButton, focus, Notice, Scroller, withCode } from './parts.tsx'
import { EditButton, ScenarioEditor } from './scenario-editor.tsx'
import { titleOf } from './search.ts'

type RuleProgress = ScenarioProgress['rules'][number]

export function Scenarios() {
  return failedTest.value ? <ScenariosOfFile file={failedTest.value} /> : <LiveScenarios />
}

function ScenariosOfFile({ file: { scenarios, scripts, sandbox } }: { file: FailedTest }) {
  return (
    <div class="screen">
      <h2>Active when the test failed</h2>
      {scenarios.length === 0 && <div class="empty">No scenario was active.</div>}
      {scenarios.map((each) => (
        <Active key={each.id} scenario={each} sandbox={sandbox} />
      ))}
      {scripts.length > 0 && <h2>Scripts</h2>}
      {scripts.map(({ scenario, rule, turns, conversations, problem }) => (
        <ul key={`${scenario}#${rule}`} class="card" aria-label={`Script of rule ${rule} of '${scenario}'`}>
          {conversations.map((each) => (
            <li key={each.conversation}>
              Conversation {each.conversation} took {each.turns} of {turns} turns. {each.problem}
            </li>
          ))}
          {conversations.length === 0 && <li>No conversation began. {problem}</li>}
        </ul>
      ))}
    </div>
  )
}

function LiveScenarios() {
  const id = sandboxId.value
  // New calls change the rules' progress.
  const newest = shownCalls.value.at(-1)
  const active = useLoaded(
    () => ask('listActiveScenarios', { sandbox: id }),
    [id, newest?.id, newest?.startedAt],
  )
  const bundled = useLoaded(() => askConsole<Scenario[]>('GET /scenarios'), [])
  const activeScenarios = active.value ?? []
  const toggle = async (name: string, isOn: boolean) => {
    if (isOn) await ask('deleteScenario', { sandbox: id, name })
    else await ask('putScenario', { sandbox: id, name })
    active.reload()
  }
  return (
    <div class="screen">
      {(active.problem || bundled.problem) && <Notice>{active.problem || bundled.problem}</Notice>}
      <section aria-label="Active scenarios" id="active-scenarios" tabIndex={-1}>
        <div class="bar">
          <h2>Active</h2>
          <span class="grow" />
          <button type="button" onClick={() => focus('#bundled')}>
            Bundled ↓
          </button>
          <ActionButton
            question={`Deactivate all scenarios in sandbox '${id}' except its initial ones? The rules' counters will be reset.`}
            disabled={activeScenarios.length === 0}
            run={async () => {
              await ask('resetScenarios', { sandbox: id })
              active.reload()
            }}
          >
            Deactivate all
          </ActionButton>
        </div>
        <FailNext sandbox={id} operation="text" onUse={active.reload} />
        {activeScenarios.length === 0 && (
          <div class="empty">No active scenarios, so no failures are simulated.</div>
        )}
        {activeScenarios.map((scenario) => (
          <Active
            key={scenario.id}
            scenario={scenario}
            sandbox={id}
            deactivate={async () => {
              await toggle(scenario.id, true)
              focus('#active-scenarios')
            }}
          />
        ))}
      </section>
      <section aria-label="Bundled scenarios" id="bundled" tabIndex={-1}>
        <h2>Bundled</h2>
        <ul class="choices">
          {bundled.value?.map((scenario) => {
            const { name, description } = scenario
            const isOn = activeScenarios.some((each) => each.name === name)
            return (
              <li key={name}>
                <label class="inline">
                  <input
                    type="checkbox"
                    checked={isOn}
                    onChange={({ currentTarget }) => toggle(name, !currentTarget.checked)}
                  />
                  <code>{name}</code>
                </label>
                <span class="muted description">{withCode(description)}</span>
                <EditButton scenario={scenario} />
              </li>
            )
          })}
        </ul>
      </section>
      <ScenarioEditor key={id} sandbox={id} onUse={active.reload} />
    </div>
  )
}

function Active({
  scenario,
  sandbox,
  deactivate,
}: {
  scenario: ScenarioProgress
  sandbox: string
  /** Undefined if the page shows a file. */
  deactivate?: () => Promise<void>
}) {
  /** Row of the rule named in the URL, if the user followed a call's link. */
  const linked = useRef<HTMLTableRowElement>(null)
  // The calls of a file have only the names of scenarios.
  const id = failedTest.value ? scenario.name : scenario.id
  const isLinked = ({ rule }: RuleProgress) => param('rule') === `${id}#${rule}`
  useEffect(() => linked.current?.scrollIntoView({ block: 'nearest' }), [param('rule')])
  const callsOf = (rule: string) => hashWith({ sandbox, q: `rule:${rule}` }, 'calls')
  const isUsed = scenario.rules.some(({ applied }) => applied > 0)
  return (
    <div class="card">
      <div class="bar">
        <h3>{titleOf(scenario.id, scenario.name)}</h3>
        <span class="muted description grow">{withCode(scenario.description)}</span>
        {isUsed && <a href={callsOf(id)}>Show changed calls</a>}
        {deactivate && <EditButton scenario={sourceOf(scenario)} />}
        {deactivate && <ActionButton run={deactivate}>Deactivate</ActionButton>}
      </div>
      <Scroller class="table" label={`Rules in ${scenario.name}`}>
        <table>
          <thead>
            <tr>
              <th>Rule</th>
              <th>On</th>
              <th>Effect</th>
              <th>Used</th>
            </tr>
          </thead>
          <tbody>
            {scenario.rules.map((rule) => (
              <tr
                key={rule.rule}
                ref={isLinked(rule) ? linked : undefined}
                class={`${isLinked(rule) ? 'chosen' : ''} ${rule.remaining === 0 ? 'muted' : ''}`}
              >
                <td>
                  {rule.rule} {rule.name}
                </td>
                <td>
                  {rule.on.join(', ')} <span class="muted">{conditionsOf(rule)}</span>
                </td>
                <td>{effectOf(rule)}</td>
                <td>
                  <Uses rule={rule} href={callsOf(`${id}#${rule.rule}`)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroller>
    </div>
  )
}

function Uses({ rule: { applied, matched, remaining }, href }: { rule: RuleProgress; href: string }) {
  const text = `${applied}${remaining === null ? '' : ` of ${applied + remaining}`}`
  return (
    <>
      {applied > 0 ? <a href={href}>{text}</a> : text}
      {matched > applied && <span class="muted"> (matched {matched})</span>}
      {remaining === 0 && <span class="tag">used up</span>}
      {applied === 0 && remaining !== 0 && <span class="tag warn">unused</span>}
    </>
  )
}

/** Returns the scenario in a form that can be activated again. */
function sourceOf({ name, description, rules }: ScenarioProgress) {
  return { name, ...(description && { description }), rules: rules.map(({ source }) => source) }
}

function conditionsOf({ source: { when, after, during, probability } }: RuleProgress): string {
  return fieldsText({ ...when, after, during, probability })
}

function effectOf({
  source: { fault = [], reply, sequence, script, rateLimit, setState },
}: RuleProgress): string {
  const faults = [fault]
    .flat()
    .map((each) => (typeof each === 'string' ? { name: each } : each))
    .filter(({ name }) => !(rateLimit && name === 'rate-limit'))
  return [
    ...faults.map(({ name, ...parameters }) => `${name} ${fieldsText(parameters).replace('status: ', '')}`),
    ...(reply ? ['scripted reply'] : []),
    ...(sequence ? [`sequence of ${sequence.length}`] : []),
    ...(script ? [`script of ${script.length} turns`] : []),
    ...(rateLimit ? [`rate limit ${fieldsText(rateLimit)}`] : []),
    ...(setState === undefined ? [] : [`sets state to ${setState}`]),
  ].join(', ')
}

/** Formats fields as `name: value`, omitting unset and zero fields. */
function fieldsText(fields: object): string {
  return Object.entries(fields)
    .filter(([, value]) => ![undefined, '0', '{}'].includes(JSON.stringify(value)))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
}
