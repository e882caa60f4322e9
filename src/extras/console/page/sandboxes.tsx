/** Sandbox management: create, fork, advance the clock, reset and delete. */
import { useSignal } from '@preact/signals'
import type { SandboxAddress } from '../../../control/sandbox-operations.ts'
import { ask, useLoaded } from './api.ts'
import { loadCalls, loadSandboxes, sandboxes, showFailedTest, withName } from './calls-store.ts'
import { hashWith } from './location.ts'
import { ActionButton, CopyButton, Field, focus, Notice, ResetButton } from './parts.tsx'

export function Sandboxes() {
  const { problem } = useLoaded(loadSandboxes, [])
  return (
    <div class="screen">
      <div class="bar">
        <h2>Sandboxes</h2>
        <span class="grow" />
        <label class="inline">
          Open a failed test's file
          <input
            type="file"
            accept=".json"
            onChange={({ currentTarget: { files } }) => void showFailedTest(files?.[0])}
          />
        </label>
        <ActionButton run={() => create({})}>New sandbox</ActionButton>
      </div>
      {problem && <Notice>{problem}</Notice>}
      {sandboxes.value.map((info) => (
        <Sandbox key={info.id} info={info} />
      ))}
    </div>
  )
}

async function create(body: { fork?: string }): Promise<string> {
  const { id } = await ask('createSandbox', {}, { body })
  await loadSandboxes()
  return `Created ${id}`
}

function Sandbox({ info }: { info: SandboxAddress }) {
  const { id, name, apiKey, baseUrl } = info
  const here = { sandbox: id }
  const seconds = useSignal('60')
  const clock = useLoaded(() => ask('readClock', here), [id])
  const advance = async () => {
    await ask('advanceClock', here, { body: { ms: Number(seconds.value) * 1000 } })
    clock.reload()
  }
  return (
    <section class="card" aria-label={`Sandbox ${id}`}>
      <div class="bar">
        <h3>{withName(id, name)}</h3>
        <span class="grow" />
        <nav class="bar" aria-label={`Screens for ${id}`}>
          <a href={hashWith({ sandbox: id }, 'calls')}>Calls</a>
          <a href={hashWith({ sandbox: id }, 'scenarios')}>Scenarios</a>
          <a href={hashWith({ sandbox: id }, 'data')}>Data</a>
        </nav>
      </div>
      <dl class="pairs">
        {Object.entries({ 'Base URL': baseUrl, 'API key': apiKey }).map(([title, text]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <code>{text}</code> <CopyButton text={text} label={`Copy the ${title} of ${id}`} />
            </dd>
          </div>
        ))}
        <div>
          <dt>Clock</dt>
          <dd>
            <code>{clock.value?.now ?? clock.problem}</code>{' '}
            {clock.value && <span class="muted">{(clock.value.elapsedMs / 1000).toFixed(1)} s elapsed</span>}
            <div class="bar">
              <Field label="Seconds" class="inline short" value={seconds} />
              <ActionButton run={advance}>Advance clock</ActionButton>
            </div>
          </dd>
        </div>
      </dl>
      <div class="bar">
        <ActionButton run={() => create({ fork: id })}>Fork</ActionButton>
        <span class="grow" />
        <ResetButton
          sandbox={id}
          onReset={async () => {
            await loadCalls()
            clock.reload()
          }}
        />
        {id !== 'default' && (
          <ActionButton
            kind="danger"
            question={`Delete sandbox '${id}'? Its calls, scenarios and records will be lost, and later requests to it will fail.`}
            run={async () => {
              await ask('deleteSandbox', here)
              focus('.screen button')
              await loadCalls()
            }}
          >
            Delete
          </ActionButton>
        )}
      </div>
    </section>
  )
}
