/**
 * Menu that exports the selected calls, or all calls in the list.
 */
import { calls, keyOf, selected, shownCalls } from './calls-store.ts'
import { exportEntries, exportHar } from './exports.ts'
import { ActionButton } from './parts.tsx'

export function ExportMenu() {
  const chosen =
    selected.value.size === 0 ? [] : calls.value.filter((call) => selected.value.has(keyOf(call)))
  const list = chosen.length > 0 ? chosen : shownCalls.value
  if (list.length === 0) return null
  const what = `${list.length.toLocaleString('en')} ${list.length === 1 ? 'call' : 'calls'}`
  return (
    <details
      class="menu"
      onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.removeAttribute('open')}
    >
      <summary class="button">Export {what}</summary>
      <div class="card">
        <ActionButton run={() => exportHar(list)}>HAR</ActionButton>
        <ActionButton run={() => exportEntries(list)}>Calls as JSON</ActionButton>
      </div>
    </details>
  )
}
