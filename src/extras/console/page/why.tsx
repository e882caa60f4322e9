/** Explains a call's reply by the rules that applied, those that did not, and the journal's facts. */
import type { JournalEntry } from '../../../journal/entry.ts'
import type { RuleReport, Why } from '../why.ts'
import { useLoaded } from './api.ts'
import { titleOfCall } from './calls-store.ts'
import { loadWhy } from './failed-test.ts'
import { hashWith } from './location.ts'
import { Notice, withCode } from './parts.tsx'

export function WhyTab({ entry, sandbox }: { entry: JournalEntry; sandbox: string }) {
  const { id, delivery, operation, status } = entry
  const { value, problem } = useLoaded(() => loadWhy(sandbox, id), [sandbox, id, delivery])
  if (problem) return <Notice>{problem}</Notice>
  if (!value) return null
  const { facts, rules, skipped, unlisted, rows } = value
  return (
    <div class="why">
      <Facts facts={facts.filter(({ label }) => label !== 'Assumption')} />
      {rules.map((report) => (
        <Rule key={`${report.activation}#${report.rule}`} report={report} sandbox={sandbox} />
      ))}
      {rules.length === 0 && (
        <p>
          <strong>No rule applied.</strong>{' '}
          {status !== 0 && status < 400 && operation && `This is the default reply of ${operation}. `}
          {skipped.length === 0 && 'No active rule targets this request.'}
        </p>
      )}
      {skipped.length > 0 && <h3>Rules that did not apply</h3>}
      {skipped.map((report) => (
        <Rule key={`${report.activation}#${report.rule}`} report={report} sandbox={sandbox} />
      ))}
      {rows.length > 0 && (
        <ul class="bar" aria-label="Records that the request names">
          {rows.map(({ collection, key, name }) => (
            <li key={`${collection} ${key}`}>
              <a href={hashWith({ in: sandbox, collection, row: key }, 'data')}>
                Edit record {name} of {collection}
              </a>
            </li>
          ))}
        </ul>
      )}
      {unlisted > 0 && (
        <p class="muted">
          {unlisted} more {unlisted === 1 ? 'rule' : 'rules'} did not apply.
        </p>
      )}
      <Facts facts={facts.filter(({ label }) => label === 'Assumption')} />
    </div>
  )
}

function Facts({ facts }: { facts: Why['facts'] }) {
  if (facts.length === 0) return null
  return (
    <dl class="pairs">
      {facts.map(({ label, text }, index) => (
        <div key={index}>
          <dt>{label}</dt>
          <dd>{withCode(text)}</dd>
        </div>
      ))}
    </dl>
  )
}

function Rule({ report, sandbox }: { report: RuleReport; sandbox: string }) {
  const { activation, rule, label, text, facts, conditions, calls } = report
  const name = `${activation}#${rule}`
  return (
    <section class={label === 'Applied' ? 'card applied' : 'card'} aria-label={text}>
      <p>
        <span class={label === 'Near miss' ? 'tag warn' : 'tag'}>{label}</span>{' '}
        <a href={hashWith({ in: sandbox, rule: name }, 'scenarios')}>{text}</a>{' '}
        <code class="muted">{name}</code>
      </p>
      <ul class="numbers">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
        {conditions.map(({ wants, has, passes }) => (
          <li key={wants} class={passes ? undefined : 'bad'}>
            {passes ? '✓' : '≠'} Expects {wants}
            {has && `; the request has ${has}`}
          </li>
        ))}
      </ul>
      {calls.length > 0 && (
        <p>
          Earlier calls:{' '}
          {calls.map((id) => (
            <a key={id} class="id" title={id} href={hashWith({ call: id, in: sandbox })}>
              {titleOfCall(sandbox, id)}
            </a>
          ))}
        </p>
      )}
    </section>
  )
}
