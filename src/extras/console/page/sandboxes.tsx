/**
 * Sandboxes: made, forked, kept as snapshots, put back, moved in time, ended, and carried as files.
 */
import { type Signal, useSignal } from '@preact/signals'
import { ask, below, messageOf, send } from './api.ts'
import { loadCalls, loadSandboxes, type SandboxInfo, sandboxes } from './calls-store.ts'
import { go, hashWith } from './location.ts'
import { ActionButton } from './parts/action-button.tsx'
import { CopyButton } from './parts/copy-button.tsx'
import { Field } from './parts/field.tsx'
import { Notice } from './parts/notice.tsx'
import { useLoaded } from './parts/use-loaded.ts'

export function Sandboxes() {
  const { problem } = useLoaded(loadSandboxes, [])
  return (
    <div class="screen">
      <div class="bar">
        <h2>Sandboxes</h2>
        <span class="grow" />
        <ActionButton run={() => create({})}>New sandbox</ActionButton>
        <Import />
      </div>
      {problem && <Notice>{problem}</Notice>}
      {sandboxes.value.map((info) => (
        <Sandbox key={info.id} info={info} />
      ))}
    </div>
  )
}

async function create(options: { fork?: string }): Promise<string> {
  const { id } = await ask<SandboxInfo>('POST', '/sandboxes', options)
  await loadSandboxes()
  return `Made ${id}`
}

function Import() {
  const said = useSignal('')
  const open = async (file: File | undefined) => {
    if (!file) return
    try {
      const made = await ask<SandboxInfo>('POST', '/sandbox-files', JSON.parse(await file.text()))
      await loadCalls()
      go({ sandbox: made.id }, { view: 'calls' })
    } catch (error) {
      said.value = `${file.name}: ${messageOf(error)}`
    }
  }
  return (
    <label class="file">
      Open a sandbox file
      <input
        type="file"
        accept=".json,application/json"
        onChange={(event) => {
          void open(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      <span role="status">{said}</span>
    </label>
  )
}

interface SandboxClock {
  now: string
  elapsedMs: number
}

function Sandbox({ info }: { info: SandboxInfo }) {
  const { id, apiKey, baseUrl } = info
  const snapshots = useSignal<string[]>([])
  const clock = useLoaded(() => ask<SandboxClock>('GET', below(id, '/clock')), [id])
  return (
    <section class="card" aria-label={`Sandbox ${id}`}>
      <div class="bar">
        <h3>{id}</h3>
        <span class="grow" />
        <nav class="bar" aria-label={`Screens of ${id}`}>
          <a href={hashWith({ sandbox: id }, 'calls')}>Calls</a>
          <a href={hashWith({ sandbox: id }, 'scenarios')}>Scenarios</a>
          <a href={hashWith({ sandbox: id }, 'data')}>Data</a>
        </nav>
      </div>
      <dl class="pairs">
        <div>
          <dt>Base URL</dt>
          <dd>
            <code>{baseUrl}</code> <CopyButton text={baseUrl} label={`Copy the base URL of ${id}`} />
          </dd>
        </div>
        <div>
          <dt>API key</dt>
          <dd>
            <code>{apiKey}</code> <CopyButton text={apiKey} label={`Copy the API key of ${id}`} />
          </dd>
        </div>
        <div>
          <dt>Clock</dt>
          <dd>
            <code>{clock.value?.now ?? clock.problem}</code>{' '}
            {clock.value && <span class="muted">{(clock.value.elapsedMs / 1000).toFixed(1)} s elapsed</span>}
            <Forward id={id} onMoved={clock.reload} />
          </dd>
        </div>
        {snapshots.value.length > 0 && <Snapshots id={id} snapshots={snapshots} />}
      </dl>
      <div class="bar">
        <ActionButton run={() => create({ fork: id })}>Fork</ActionButton>
        <ActionButton
          run={async () => {
            const made = await ask<{ id: string }>('POST', below(id, '/snapshots'))
            snapshots.value = [...snapshots.value, made.id]
          }}
        >
          Snapshot
        </ActionButton>
        <ActionButton run={() => save(id)}>Save as file</ActionButton>
        <span class="grow" />
        <ActionButton
          kind="danger"
          run={async () => {
            await ask('POST', below(id, '/reset'))
            await loadCalls()
            clock.reload()
            return 'As at its start'
          }}
        >
          Reset
        </ActionButton>
        {id !== 'default' && (
          <ActionButton
            kind="danger"
            run={async () => {
              await ask('DELETE', below(id))
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

/** Moves the clock of a sandbox. */
function Forward({ id, onMoved }: { id: string; onMoved: () => void }) {
  const seconds = useSignal('60')
  const move = async () => {
    await ask('POST', below(id, '/clock/advance'), { ms: Number(seconds.value) * 1000 })
    onMoved()
  }
  return (
    <div class="bar">
      <Field label="Seconds" isInline class="short" inputMode="decimal" value={seconds} />
      <ActionButton run={move}>Move the clock</ActionButton>
    </div>
  )
}

/** Those taken since this page was opened. */
function Snapshots({ id, snapshots }: { id: string; snapshots: Signal<string[]> }) {
  return (
    <div>
      <dt>Snapshots</dt>
      <dd class="bar">
        {snapshots.value.map((snapshot) => (
          <ActionButton
            key={snapshot}
            run={async () => {
              await ask('POST', below(id, '/restore'), { id: snapshot })
              await loadCalls()
              return 'Put back'
            }}
          >
            Restore {snapshot}
          </ActionButton>
        ))}
      </dd>
    </div>
  )
}

/** As a download, named for the sandbox. */
async function save(id: string): Promise<void> {
  const text = await (await send('GET', below(id, '/file'))).text()
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: `sandbox-${id}.json` })
  link.click()
  URL.revokeObjectURL(url)
}
