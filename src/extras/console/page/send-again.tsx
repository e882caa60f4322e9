/** Form that edits a call's request and sends it again, in the same sandbox. */
import { useSignal } from '@preact/signals'
import type { JournalEntry } from '../../../journal/entry.ts'
import { parseJson } from '../../../lib/json.ts'
import { sandboxes } from './calls-store.ts'
import { go } from './location.ts'
import { ActionButton, Field, pretty, TextArea } from './parts.tsx'

/** Headers that the browser sets, or that the sandbox's key replaces. */
const ownHeaders =
  /^(authorization|x-api-key|host|connection|content-length|user-agent|accept-encoding|sec-.*|origin|referer|cookie)$/

export function SendAgain({ entry, sandbox }: { entry: JournalEntry; sandbox: string }) {
  const method = useSignal(entry.method)
  const path = useSignal(entry.path + searchOf(entry.query))
  const kept = Object.entries(entry.headers).filter(([name]) => !ownHeaders.test(name))
  const headers = useSignal(JSON.stringify(Object.fromEntries(kept), null, 2))
  const body = useSignal(pretty(entry.requestText.text))
  const send = async () => {
    const given = parseJson(headers.value)
    if (typeof given !== 'object' || given === null) throw new Error('Headers must be a JSON object')
    const key = sandboxes.value.find(({ id }) => id === sandbox)?.apiKey ?? 'any'
    const response = await fetch(path.value, {
      method: method.value,
      headers: { ...given, authorization: `Bearer ${key}` },
      ...(body.value && method.value !== 'GET' && { body: body.value }),
    })
    const call = response.headers.get('x-request-id')
    // The reply is shown as the call's entry.
    void response.body?.pipeTo(new WritableStream()).catch(() => undefined)
    if (call) go({ call, in: sandbox, tab: undefined })
    return `Sent: ${response.status}`
  }
  return (
    <form class="card" aria-label="Send again" onSubmit={(event) => event.preventDefault()}>
      <div class="bar">
        <Field label="Method" class="short" value={method} />
        <Field label="Path" class="grow" value={path} />
      </div>
      <TextArea label="Headers (JSON)" minRows={2} value={headers} />
      <TextArea label="Body" value={body} />
      <ActionButton kind="primary" isSubmit run={send}>
        Send
      </ActionButton>
    </form>
  )
}

function searchOf(query: JournalEntry['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
