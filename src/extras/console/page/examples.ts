/**
 * A request for each operation of the server, ready to be sent.
 */

export interface Example {
  id: string
  title: string
  method: string
  /** Below the base URL, with its query. */
  path: string
  body?: object
}

const question = 'Why do tides come twice a day?'
const model = 'aurora/dawn-2'
const messages = [{ role: 'user', content: question }]

/** What to ask of operations that the double brings; the data is that of the fixtures. */
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

/** The part of an OpenAPI document that is looked at. */
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

/** For each operation that the server answers: extensions, declared ones and those of a document too. */
export async function loadExamples(): Promise<Example[]> {
  const { paths }: ApiDocument = await (await fetch('/openapi.json')).json()
  const examples = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.includes(method))
      .flatMap(([method, operation]) => examplesOf(path, method, operation)),
  )
  const order = (id: string) => (id.startsWith('createResponse') ? 0 : 1)
  return [
    ...examples.sort((left, right) => order(left.id) - order(right.id)),
    { id: 'unknown', title: 'A path that nobody answers', method: 'GET', path: '/provider' },
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
    title: `${title}, as a stream`,
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
