/**
 * "Next time answer …": a rule for the next request like this one.
 */
import { useSignal } from '@preact/signals'
import type { JournalEntry } from '../journal/entry.ts'
import { ask, below } from './api.ts'
import { ActionButton } from './parts.tsx'

const kinds = [
  ['status', 'with a status'],
  ['delay', 'after a delay'],
  ['text', 'with a text'],
  ['call', 'with a tool call'],
] as const

export function NextAnswer({ entry, sandbox }: { entry: JournalEntry; sandbox: string }) {
  const isModel = entry.operation === 'createResponse'
  const kind = useSignal<string>(isModel ? 'text' : 'status')
  const value = useSignal(isModel ? 'A scripted answer.' : '503')
  const more = useSignal('{}')
  const times = useSignal('1')
  const choose = (next: string) => {
    kind.value = next
    value.value = { status: '503', delay: '2000', text: 'A scripted answer.', call: 'search' }[next] ?? ''
  }
  const use = async () => {
    const rule = {
      on: entry.operation ?? `${entry.method} ${entry.path.replace(/^.*\/api\/v1(?=\/)/, '')}`,
      ...(times.value !== '' && { times: Number(times.value) }),
      ...effectOf(kind.value, value.value, more.value),
    }
    await ask('POST', below(sandbox, '/scenarios'), { name: 'next-answer', rules: [rule] })
    return 'In force'
  }
  return (
    <fieldset class="card next">
      <legend>Next time answer</legend>
      <label>
        How
        <select value={kind.value} onChange={(event) => choose(event.currentTarget.value)}>
          {kinds
            .filter(([id]) => isModel || id === 'status' || id === 'delay')
            .map(([id, title]) => (
              <option key={id} value={id}>
                {title}
              </option>
            ))}
        </select>
      </label>
      <label>
        {{ status: 'Status', delay: 'Milliseconds', text: 'Text', call: 'Function' }[kind.value]}
        <input value={value.value} onInput={(event) => (value.value = event.currentTarget.value)} />
      </label>
      {kind.value === 'call' && (
        <label>
          Arguments, as JSON
          <input value={more.value} onInput={(event) => (more.value = event.currentTarget.value)} />
        </label>
      )}
      <label>
        Times (empty: always)
        <input
          inputMode="numeric"
          value={times.value}
          onInput={(event) => (times.value = event.currentTarget.value)}
        />
      </label>
      <ActionButton run={use}>Put in force</ActionButton>
    </fieldset>
  )
}

function effectOf(kind: string, value: string, more: string): object {
  switch (kind) {
    case 'status':
      return { fault: { name: 'status', status: Number(value) } }
    case 'delay':
      return { fault: { name: 'latency', ms: Number(value) } }
    case 'call':
      return { reply: { output: [{ type: 'function_call', name: value, arguments: more }] } }
    default:
      return { reply: { text: value } }
  }
}
