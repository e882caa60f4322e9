/**
 * Asks for the token, where the server wants one.
 */
import { useSignal } from '@preact/signals'
import { saveToken } from './api.ts'
import { loadCalls } from './calls-store.ts'
import { Field } from './parts/field.tsx'

export function Token() {
  const token = useSignal('')
  const submit = (event: Event) => {
    event.preventDefault()
    saveToken(token.value.trim())
    void loadCalls()
  }
  return (
    <form class="card token" onSubmit={submit}>
      <h2>This server wants a token</h2>
      <p>It is what the server was started with, or printed. It stays in this tab until the tab is closed.</p>
      <Field label="Token" isSecret value={token} />
      <button type="submit" class="primary" disabled={token.value.trim() === ''}>
        Use this token
      </button>
    </form>
  )
}
