/**
 * Try: a prefilled request for each operation, and its reply as it comes.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { messageOf } from './api.ts'
import { sandboxes } from './calls-store.ts'
import { type Example, loadExamples } from './examples.ts'
import { go, hashWith, param, sandboxId } from './location.ts'
import { TextArea } from './parts/field.tsx'
import { milliseconds } from './parts/format.ts'
import { Notice } from './parts/notice.tsx'
import { Status } from './parts/status.tsx'
import { useLoaded } from './parts/use-loaded.ts'

/** Characters of a reply that are shown. */
const maxShown = 200_000

export function Try() {
  const sandbox = sandboxes.value.find(({ id }) => id === sandboxId.value)
  const { value: examples, problem } = useLoaded(loadExamples, [])
  if (problem) return <Notice>{problem}</Notice>
  const example = examples?.find(({ id }) => id === param('example')) ?? examples?.[0]
  if (!examples || !example) return null
  return (
    <div class="screen">
      <div class="bar">
        <h2>Try</h2>
        <span class="muted">in sandbox {sandboxId.value}</span>
      </div>
      <label>
        Request
        <select value={example.id} onChange={(event) => go({ example: event.currentTarget.value })}>
          {examples.map(({ id, title }) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Form
        key={`${example.id} ${sandboxId.value}`}
        example={example}
        // The address by which this page came, whatever name the server gives itself.
        base={new URL(sandbox?.baseUrl ?? '/api/v1', location.href).pathname}
        apiKey={sandbox?.apiKey ?? 'any'}
      />
    </div>
  )
}

interface Answer {
  status: number
  id: string
  text: string
  isOver: boolean
  ms: number
}

function Form({ example, base, apiKey }: { example: Example; base: string; apiKey: string }) {
  const path = useSignal(example.path)
  const body = useSignal(example.body ? JSON.stringify(example.body, null, 2) : '')
  const answer = useSignal<Answer | undefined>(undefined)
  const problem = useSignal('')
  const leaving = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => leaving.current?.abort(), [])
  const sendIt = async (event: Event) => {
    event.preventDefault()
    leaving.current?.abort()
    const controller = new AbortController()
    leaving.current = controller
    answer.value = undefined
    problem.value = ''
    const began = performance.now()
    try {
      const response = await fetch(base + path.value, {
        method: example.method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(example.body && { 'content-type': 'application/json' }),
        },
        ...(example.body && { body: body.value }),
        signal: controller.signal,
      })
      const id = response.headers.get('x-request-id') ?? ''
      let text = ''
      const show = (isOver: boolean) => {
        answer.value = { status: response.status, id, text, isOver, ms: performance.now() - began }
      }
      show(false)
      if (response.body) {
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          text = (text + part.value).slice(0, maxShown)
          show(false)
        }
      }
      if (response.headers.get('content-type')?.includes('json'))
        text = JSON.stringify(JSON.parse(text), null, 2)
      show(true)
    } catch (error) {
      if (!controller.signal.aborted) problem.value = `The reply broke off: ${messageOf(error)}`
    }
  }
  return (
    <form class="card" onSubmit={sendIt}>
      <div class="bar">
        <span class="method">{example.method}</span>
        <input
          class="grow"
          aria-label="Path"
          spellcheck={false}
          value={path.value}
          onInput={(event) => (path.value = event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Send
        </button>
        {answer.value && !answer.value.isOver && (
          <button type="button" onClick={() => leaving.current?.abort()}>
            Stop
          </button>
        )}
      </div>
      {example.body && <TextArea label="Body" value={body} />}
      {problem.value && <p class="bad">{problem}</p>}
      {answer.value && (
        <section aria-label="Reply">
          <p class="facts">
            <Status status={answer.value.status} delivery={answer.value.isOver ? 'complete' : 'pending'} />
            <span>{milliseconds(answer.value.ms)}</span>
            <a
              href={hashWith(
                { sandbox: sandboxId.value, call: answer.value.id, in: sandboxId.value },
                'calls',
              )}
            >
              Show the call
            </a>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <section class="reply" tabIndex={0} aria-label="Body of the reply">
            <pre>{answer.value.text}</pre>
          </section>
        </section>
      )}
    </form>
  )
}
