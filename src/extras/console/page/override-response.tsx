/**
 * "Next time answer …": a rule for the next request like this one.
 */
import { useSignal } from '@preact/signals'
import type { JournalEntry } from '../../../journal/entry.ts'
import { ask } from './api.ts'
import { ActionButton, Field } from './parts.tsx'

interface Kind {
  title: string
  /** What its value is. */
  label: string
  first: string
  /** Whether only a model answers so. */
  isOfModels: boolean
}

const kinds = {
  status: { title: 'with a status', label: 'Status', first: '503', isOfModels: false },
  delay: { title: 'after a delay', label: 'Milliseconds', first: '2000', isOfModels: false },
  text: { title: 'with a text', label: 'Text', first: 'A scripted answer.', isOfModels: true },
  call: { title: 'with a tool call', label: 'Function', first: 'search', isOfModels: true },
} satisfies Record<string, Kind>
type KindName = keyof typeof kinds

const modelOperations = ['createResponse', 'createChatCompletion', 'createMessage']

export function NextAnswer({ entry, sandbox }: { entry: JournalEntry; sandbox: string }) {
  const isModel = modelOperations.includes(entry.operation ?? '')
  const kind = useSignal<KindName>(isModel ? 'text' : 'status')
  const value = useSignal<string>(kinds[kind.value].first)
  const args = useSignal('{}')
  const times = useSignal('1')
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
    await ask('useScenario', { sandbox }, { body: { name: 'next-answer', rules: [rule] } })
    return 'In force'
  }
  return (
    <fieldset class="card next">
      <legend>Next time answer</legend>
      <label>
        How
        <select value={kind.value} onChange={(event) => choose(event.currentTarget.value as KindName)}>
          {(Object.keys(kinds) as KindName[])
            .filter((id) => isModel || !kinds[id].isOfModels)
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
        inputMode={kinds[kind.value].isOfModels ? 'text' : 'numeric'}
      />
      {kind.value === 'call' && <Field label="Arguments, as JSON" value={args} />}
      <Field label="Times (empty: always)" inputMode="numeric" value={times} />
      <ActionButton run={use} kind="primary">
        Put in force
      </ActionButton>
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
