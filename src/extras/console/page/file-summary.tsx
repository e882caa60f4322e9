/**
 * Summary of an opened file: its sandbox and test, and the calls that explain a failure.
 */
import type { OpenedFile } from '../operations.ts'
import type { Why } from '../why.ts'
import { ask, askConsole, useLoaded } from './api.ts'
import { chosenCalls } from './calls-store.ts'
import { hashWith } from './location.ts'
import { Status } from './parts.tsx'
import { isError } from './search.ts'

const maxFindings = 5

export function OpenedFileSummary({ file: { sandbox, name, saved, test } }: { file: OpenedFile }) {
  const failures = chosenCalls.value.filter((call) => isError(call) || call.delivery !== 'complete')
  const suspects = chosenCalls.value.filter((call) => call.nearMissCount > 0 || call.warnings > 0)
  const findings = (failures.length > 0 ? failures : suspects).slice(-maxFindings)
  const key = findings.map(({ id }) => id).join()
  const { value: reasons } = useLoaded(
    () => Promise.all(findings.map(({ id }) => reasonOf(sandbox, id))),
    [sandbox, key],
  )
  const { value: unused = [] } = useLoaded(
    async () => (await ask('listUnusedRules', { sandbox })) as UnusedRule[],
    [sandbox],
  )
  return (
    <section class="file-summary" aria-label="Opened file">
      <p>
        <span class="tag">File</span> <strong>{name}</strong>
        {test !== null && <span class="bad"> Failed test: {test}</span>}{' '}
        <span class="muted">
          saved from sandbox {saved}, opened as {sandbox}: {chosenCalls.value.length}{' '}
          {chosenCalls.value.length === 1 ? 'call' : 'calls'}, shown in sandbox time. New calls are not mixed
          with them.
        </span>
      </p>
      <ul>
        {findings.map((call, index) => (
          <li key={call.id}>
            <Status status={call.status} delivery={call.delivery} />{' '}
            <a href={hashWith({ call: call.id, in: sandbox })}>
              {call.method} {call.path.replace(/^.*\/api\/v1(?=\/)/, '')}
            </a>{' '}
            {reasons?.[index]}
          </li>
        ))}
        {unused.map(({ scenario, rule, name: title, on }) => (
          <li key={`${scenario}#${rule}`}>
            <span class="tag warn">unused</span> {title ?? `Rule ${rule}`} of '{scenario}' for {on.join(', ')}{' '}
            never applied.
          </li>
        ))}
        {findings.length === 0 && unused.length === 0 && (
          <li class="muted">Every call succeeded, and every rule applied.</li>
        )}
      </ul>
    </section>
  )
}

interface UnusedRule {
  scenario: string
  rule: number
  name?: string
  on: string[]
}

/** Returns the rule that applied to a call and its counters, or the most informative line of the explanation. */
async function reasonOf(sandbox: string, entry: string): Promise<string> {
  const [{ rule }, text] = await Promise.all([
    askConsole<Why>(`GET /sandboxes/${encodeURIComponent(sandbox)}/calls/${encodeURIComponent(entry)}/why`),
    ask('explainCall', { sandbox, entry }),
  ])
  const facts = text.split('\n').slice(1)
  const telling = /^(Rejected|Near miss|Script: .*but|A fault|The client|Warning)/
  const reason = facts.find((fact) => telling.test(fact)) ?? facts[0] ?? ''
  return rule ? `${rule.title}. ${rule.facts.join(' ') || reason}` : reason
}
