/**
 * Form that overrides the response to the next request of the same operation.
 */
import { useSignal } from '@preact/signals'
import type { JournalEntry } from '../../../journal/entry.ts'
import { ask } from './api.ts'
import { calls } from './calls-store.ts'
import { ActionButton, Field } from './parts.tsx'

interface Kind {
  title: string
  /** Label of the field for the effect's value. */
  label: string
  first: string
  /** If true, only model operations support this effect. */
  isForModels: boolean
}

const kinds = {
  status: { title: 'Error status', label: 'Status', first: '500', isForModels: false },
  delay: { title: 'Delay', label: 'Milliseconds', first: '2000', isForModels: false },
  text: { title: 'Text', label: 'Text', first: 'A scripted answer.', isForModels: true },
  call: { title: 'Tool call', label: 'Function', first: 'search', isForModels: true },
} satisfies Record<string, Kind>
type KindName = keyof typeof kinds

const modelOperations = ['createResponse', 'createChatCompletion', 'createMessage']

export function OverrideResponse({ entry, sandbox }: { entry: JournalEntry; sandbox: string }) {
  const isModel = modelOperations.includes(entry.operation ?? '')
  const kind = useSignal<KindName>('status')
  const value = useSignal<string>(kinds[kind.value].first)
  const args = useSignal('{}')
  const times = useSignal('1')
  /** Number of calls overridden before activation, and the rule's limit; undefined before activation. */
  const active = useSignal<{ before: number; limit: number } | undefined>(undefined)
  const overridden = () =>
    calls.value.filter((call) => call.sandbox === sandbox && call.rules[0]?.scenario === 'override').length
  const choose = (next: KindName) => {
    kind.value = next
    value.value = kinds[next].first
  }
  const use = async () => {
    const rule = {
      on: entry.operation ?? `${entry.method} ${entry.path.replace(/^.*\/api\/v1(?=\/)/, '')}`,
      ...(times.value !== '' && { times: Number(times.value) }),
      ...effectOf(kind.value, value.value, args.value),
    }
    const before = overridden()
    await ask('useScenario', { sandbox }, { body: { name: 'override', rules: [rule] } })
    active.value = { before, limit: Number(times.value) || Number.POSITIVE_INFINITY }
  }
  return (
    <fieldset class="card override">
      <legend>
        Next {entry.operation ?? 'response'} in sandbox {sandbox}
      </legend>
      <label>
        Effect
        <select value={kind.value} onChange={(event) => choose(event.currentTarget.value as KindName)}>
          {(Object.keys(kinds) as KindName[])
            .filter((id) => isModel || !kinds[id].isForModels)
            .map((id) => (
              <option key={id} value={id}>
                {kinds[id].title}
              </option>
            ))}
        </select>
      </label>
      <Field
        label={kinds[kind.value].label}
        value={value}
        inputMode={kinds[kind.value].isForModels ? 'text' : 'numeric'}
      />
      {kind.value === 'call' && <Field label="Arguments (JSON)" value={args} />}
      <Field label="Times (leave empty for always)" inputMode="numeric" value={times} />
      <ActionButton run={use} kind="primary">
        Activate
      </ActionButton>
      <span role="status" class="muted">
        {active.value && (overridden() - active.value.before < active.value.limit ? 'Active' : 'Used')}
      </span>
    </fieldset>
  )
}

function effectOf(kind: KindName, value: string, args: string): object {
  switch (kind) {
    case 'status':
      return { fault: { name: 'status', status: Number(value) } }
    case 'delay':
      return { fault: { name: 'latency', ms: Number(value) } }
    case 'call':
      return { reply: { output: [{ type: 'function_call', name: value, arguments: args }] } }
    case 'text':
      return { reply: { text: value } }
  }
}
