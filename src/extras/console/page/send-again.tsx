/** Form that edits a call's request and sends it again, in the same sandbox. */
import { signal } from '@preact/signals'
import type { SandboxAddress } from '../../../control/sandbox-operations.ts'
import type { JournalEntry } from '../../../journal/entry.ts'
import { isObject, parseJson } from '../../../lib/json.ts'
import { go } from './location.ts'
import { ActionButton, Field, pretty, TextArea } from './parts.tsx'

/** Headers that the browser sets. */
const ownHeaders =
  /^(host|connection|content-length|user-agent|accept-encoding|sec-.*|origin|referer|cookie)$/
/** Placeholder that replaces secrets in the journal. */
const hidden = '(hidden)'

/** Requests that were edited but not sent. */
export const drafts = new Map<string, ReturnType<typeof draftOf>>()
/** Identifies a call. The id alone is not unique, because ids repeat after a reset. */
export const draftKey = ({ id, timestamp }: JournalEntry, sandbox: string) => `${sandbox} ${id} ${timestamp}`

function draftOf(entry: JournalEntry, key: string) {
  const kept = Object.entries(entry.headers).filter(([name]) => !ownHeaders.test(name))
  // A call that arrived without a key, such as one that a test made in the sandbox's context, gets one as well.
  if (!kept.some(([, value]) => value === hidden)) kept.unshift(['authorization', hidden])
  const withKeys = kept.map(([name, value]) => {
    return [name, value.replace(hidden, name === 'authorization' ? `Bearer ${key}` : key)]
  })
  return {
    method: signal(entry.method),
    path: signal(entry.path + searchOf(entry.query).replaceAll(encodeURIComponent(hidden), key)),
    headers: signal(JSON.stringify(Object.fromEntries(withKeys), null, 2)),
    body: signal(pretty(entry.requestText.text)),
  }
}

export function SendAgain({ entry, address }: { entry: JournalEntry; address: SandboxAddress }) {
  const { id: sandbox, apiKey } = address
  const key = draftKey(entry, sandbox)
  const draft = drafts.get(key) ?? draftOf(entry, apiKey)
  drafts.set(key, draft)
  const { method, path, headers, body } = draft
  const send = async () => {
    const given = parseJson(headers.value)
    if (!isObject(given)) throw new Error('Headers must be a JSON object')
    const response = await fetch(path.value, {
      method: method.value,
      headers: given as Record<string, string>,
      ...(body.value && !/^(GET|HEAD)$/i.test(method.value) && { body: body.value }),
    })
    const call = response.headers.get('x-request-id')
    // The reply is shown as the call's entry.
    void response.body?.pipeTo(new WritableStream()).catch(() => undefined)
    if (call) {
      drafts.delete(key)
      go({ call, in: sandbox, tab: undefined })
    }
    return `Sent: ${response.status}`
  }
  return (
    <form class="card" aria-label="Send again" onSubmit={(event) => event.preventDefault()}>
      <div class="bar">
        <Field label="Method" class="short" value={method} />
        <Field label="Path" class="grow" value={path} />
        <ActionButton kind="primary" isSubmit run={send}>
          Send
        </ActionButton>
      </div>
      <TextArea label="Headers (JSON)" minRows={2} isJson value={headers} />
      <p class="muted">
        The journal hides keys, so the call is sent with the key of sandbox {sandbox}. Ctrl+Enter sends it.
      </p>
      <TextArea label="Body" isJson={entry.body !== undefined} value={body} />
    </form>
  )
}

function searchOf(query: JournalEntry['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
