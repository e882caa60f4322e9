/** Makes the next call of an operation fail, with a rule that applies once. */
import { useSignal } from '@preact/signals'
import { ask } from './api.ts'
import { ActionButton } from './parts.tsx'

/** Name of the scenario with the rule. */
export const failNext = 'fail-next'
/** Common faults. A number is an HTTP status. */
const faults = '500 429 503 529 timeout connection-reset malformed-body latency stream-cut stream-error-event'

export function FailNext({
  sandbox,
  operation,
  onUse,
}: {
  sandbox: string
  operation: string
  onUse?: () => void
}) {
  const fault = useSignal('500')
  const calls = operation === 'text' ? 'any text operation' : operation
  const activate = async () => {
    const status = Number(fault.value)
    const rule = { on: operation, times: 1, fault: status ? { name: 'status', status } : fault.value }
    // Earlier rules that are used up would pile up.
    for (const { id, name, rules } of await ask('listActiveScenarios', { sandbox }))
      if (name === failNext && rules.every(({ remaining }) => remaining === 0))
        await ask('deleteScenario', { sandbox, name: id })
    await ask('useScenario', { sandbox }, { body: { name: failNext, rules: [rule] } })
    onUse?.()
    return `The next call to ${calls} in sandbox '${sandbox}' gets ${fault.value}`
  }
  return (
    <fieldset class="bar formats">
      <legend class="muted">Fail the next call to {calls} with</legend>
      <select
        aria-label="Fault"
        value={fault}
        onChange={(event) => (fault.value = event.currentTarget.value)}
      >
        {faults.split(' ').map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
      <ActionButton run={activate}>Fail once</ActionButton>
    </fieldset>
  )
}
