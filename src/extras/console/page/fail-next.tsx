/** Makes the next call of an operation fail, with a rule that applies once. */
import { useSignal } from '@preact/signals'
import type { RuleNames } from '../drafts.ts'
import { ask, askConsole, useLoaded } from './api.ts'
import { ActionButton, Select } from './parts.tsx'

const statuses = ['400', '401', '402', '403', '404', '408', '413', '429', '500', '502', '503', '504', '529']

const titles = { text: 'any text operation', '*': 'any operation' }

export function FailNext({
  sandbox,
  operation,
  onUse,
}: {
  sandbox: string
  /** Operation whose next call fails. Default: the user selects it. */
  operation?: string
  onUse?: () => void
}) {
  const names = useLoaded(() => askConsole<RuleNames>('GET /rule-names'), []).value
  const on = useSignal(operation ?? 'text')
  const fault = useSignal('500')
  const activate = async () => {
    const isStatus = statuses.includes(fault.value)
    const setting = isStatus ? { name: 'status', status: Number(fault.value) } : fault.value
    const name = `next-${on.value.replace(/[^\w.-]+/g, '-').slice(0, 90)}`
    const rules = [{ on: on.value, times: 1, fault: setting }]
    await ask('putScenario', { sandbox, name }, { body: { rules } })
    onUse?.()
    return `The next call of ${on.value} gets ${fault.value}`
  }
  return (
    <fieldset class="bar formats">
      <legend class="muted">Fail the next call{operation === undefined ? ' of' : ' like this with'}</legend>
      {operation === undefined && (
        <>
          <Select
            label="Operation to fail"
            value={on}
            options={names?.operations ?? [on.value]}
            titles={titles}
          />{' '}
          with
        </>
      )}
      <Select label="Fault" value={fault} options={[...statuses, ...(names?.faults ?? [])]} />
      <ActionButton run={activate}>Fail once</ActionButton>
    </fieldset>
  )
}
