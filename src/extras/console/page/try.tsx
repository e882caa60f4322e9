/**
 * A request form with an example for each operation. Shows the reply as it arrives.
 */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { messageOf, useLoaded } from './api.ts'
import { sandboxes } from './calls-store.ts'
import { go, hashWith, param, sandboxId } from './location.ts'
import { milliseconds, Notice, Scroller, Status, TextArea } from './parts.tsx'

/** Maximum number of reply characters to show. */
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
        // Relative to this page's address, which may differ from the server's own base URL.
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
  const abort = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => abort.current?.abort(), [])
  const sendIt = async (event: Event) => {
    event.preventDefault()
    abort.current?.abort()
    const controller = new AbortController()
    abort.current = controller
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
      if (!controller.signal.aborted) problem.value = `Reply aborted: ${messageOf(error)}`
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
          <button type="button" onClick={() => abort.current?.abort()}>
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
              Show call
            </a>
          </p>
          <Scroller class="reply" label="Reply body">
            <pre>{answer.value.text}</pre>
          </Scroller>
        </section>
      )}
    </form>
  )
}

interface Example {
  id: string
  title: string
  method: string
  /** Path relative to the base URL, with the query. */
  path: string
  body?: object
}

const question = 'Why do tides come twice a day?'
const model = 'aurora/dawn-2'
const messages = [{ role: 'user', content: question }]

/** Example requests for built-in operations. They use fixture data. */
const prefilled: Record<string, { path?: string; body?: object; isModel?: true }> = {
  createResponse: { body: { model, input: question }, isModel: true },
  listBenchmarks: { path: '/benchmarks?max_results=5' },
  getPreset: { path: '/presets/code-review' },
  updateWorkspace: { path: '/workspaces/production', body: { description: 'Changed from the console' } },
  createChatCompletion: { body: { model, messages }, isModel: true },
  createMessage: { body: { model, max_tokens: 200, messages }, isModel: true },
  listModelEndpoints: { path: '/models/aurora/dawn-2/endpoints' },
  createEmbeddings: { body: { model: 'aurora/embed-3', input: 'high tide' } },
}

/** The part of an OpenAPI document that this page reads. */
interface ApiDocument {
  paths: Record<string, Record<string, DocumentOperation>>
}

interface DocumentOperation {
  operationId?: string
  summary?: string
  requestBody?: { content?: Record<string, { example?: object; schema?: { example?: object } }> }
  parameters?: {
    name?: string
    in?: string
    example?: unknown
    schema?: { example?: unknown; enum?: unknown[] }
  }[]
}

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** Returns an example for each of the server's operations, including extensions, custom and OpenAPI operations. */
async function loadExamples(): Promise<Example[]> {
  const { paths }: ApiDocument = await (await fetch('/openapi.json')).json()
  const examples = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.includes(method))
      .flatMap(([method, operation]) => examplesOf(path, method, operation)),
  )
  const order = (id: string) => (id.startsWith('createResponse') ? 0 : 1)
  return [
    ...examples.sort((left, right) => order(left.id) - order(right.id)),
    { id: 'unknown', title: 'Unknown path', method: 'GET', path: '/provider' },
  ]
}

function examplesOf(path: string, method: string, operation: DocumentOperation): Example[] {
  const id = operation.operationId ?? `${method} ${path}`
  const title = operation.summary ?? id
  const { body = bodyOf(operation), path: filled = fill(path, operation), isModel } = prefilled[id] ?? {}
  const plain: Example = { id, title, method: method.toUpperCase(), path: filled, ...(body && { body }) }
  const streamed = {
    ...plain,
    id: `${id}.stream`,
    title: `${title} (stream)`,
    body: { ...body, stream: true },
  }
  return isModel ? [plain, streamed] : [plain]
}

function bodyOf({ requestBody }: DocumentOperation): object | undefined {
  const content = requestBody?.content?.['application/json']
  return content && (content.example ?? content.schema?.example ?? {})
}

function fill(path: string, { parameters = [] }: DocumentOperation): string {
  return path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const { example, schema } = parameters.find((each) => each.in === 'path' && each.name === name) ?? {}
    return String(example ?? schema?.example ?? schema?.enum?.[0] ?? '1')
  })
}
