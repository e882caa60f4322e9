/**
 * Sandboxes: made, forked, kept as snapshots, put back, moved in time, ended, and carried as files.
 */
import { useSignal } from '@preact/signals'
import { ask, below, messageOf, send } from './api.ts'
import { loadCalls, loadSandboxes, type SandboxInfo, sandboxes } from './calls-store.ts'
import { go, hashWith } from './location.ts'
import { ActionButton, CopyButton, Notice, useLoaded } from './parts.tsx'

export function Sandboxes() {
  const { problem } = useLoaded(loadSandboxes, [])
  const create = async () => {
    const { id } = await ask<SandboxInfo>('POST', '/sandboxes')
    await loadSandboxes()
    return `Made ${id}`
  }
  return (
    <div class="screen">
      <div class="bar">
        <h2>Sandboxes</h2>
        <span class="grow" />
        <ActionButton run={create}>New sandbox</ActionButton>
        <Import />
      </div>
      {problem && <Notice>{problem}</Notice>}
      {sandboxes.value.map((info) => (
        <Sandbox key={info.id} info={info} />
      ))}
    </div>
  )
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

function Sandbox({ info }: { info: SandboxInfo }) {
  const { id, apiKey, baseUrl } = info
  const snapshots = useSignal<string[]>([])
  const clock = useLoaded(() => ask<{ now: string; elapsedMs: number }>('GET', below(id, '/clock')), [id])
  const forward = useSignal('60')
  const act = (path: string, body?: unknown) => ask<{ id: string }>('POST', below(id, path), body)
  const save = async () => {
    const text = await (await send('GET', below(id, '/file'))).text()
    const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    const link = Object.assign(document.createElement('a'), { href: url, download: `sandbox-${id}.json` })
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <section class="card" aria-label={`Sandbox ${id}`}>
      <div class="bar">
        <h3>{id}</h3>
        <span class="grow" />
        <a href={hashWith({ sandbox: id }, 'calls')}>Calls</a>
        <a href={hashWith({ sandbox: id }, 'scenarios')}>Scenarios</a>
        <a href={hashWith({ sandbox: id }, 'data')}>Data</a>
      </div>
      <dl class="pairs">
        <div>
          <dt>Base URL</dt>
          <dd>
            <code>{baseUrl}</code> <CopyButton text={baseUrl} />
          </dd>
        </div>
        <div>
          <dt>API key</dt>
          <dd>
            <code>{apiKey}</code> <CopyButton text={apiKey} />
          </dd>
        </div>
        <div>
          <dt>Clock</dt>
          <dd>
            {clock.value
              ? `${clock.value.now}, ${(clock.value.elapsedMs / 1000).toFixed(1)} s elapsed`
              : clock.problem}
          </dd>
        </div>
      </dl>
      <div class="bar">
        <label class="inline">
          Seconds
          <input
            class="short"
            inputMode="decimal"
            value={forward.value}
            onInput={(event) => (forward.value = event.currentTarget.value)}
          />
        </label>
        <ActionButton
          run={async () => {
            await act('/clock/advance', { ms: Number(forward.value) * 1000 })
            clock.reload()
          }}
        >
          Move the clock
        </ActionButton>
        <ActionButton
          run={async () => {
            const made = await ask<SandboxInfo>('POST', '/sandboxes', { fork: id })
            await loadSandboxes()
            return `Made ${made.id}`
          }}
        >
          Fork
        </ActionButton>
        <ActionButton
          run={async () => {
            const { id: snapshot } = await act('/snapshots')
            snapshots.value = [...snapshots.value, snapshot]
          }}
        >
          Snapshot
        </ActionButton>
        {snapshots.value.map((snapshot) => (
          <ActionButton key={snapshot} run={async () => void (await act('/restore', { id: snapshot }))}>
            Restore {snapshot}
          </ActionButton>
        ))}
        <ActionButton run={save}>Save as file</ActionButton>
        <ActionButton
          danger
          run={async () => {
            await act('/reset')
            await loadCalls()
            return 'Reset'
          }}
        >
          Reset
        </ActionButton>
        {id !== 'default' && (
          <ActionButton
            danger
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
