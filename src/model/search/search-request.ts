/** Reads the forms of web search that a request uses. Spec: POST /responses, Plugin object, Versioning 5. */
import type { WebPlugin } from '../../resources/create-response-body.ts'
import { forcedTool, type Prompt, type PromptTool } from '../../resources/prompt.ts'
import type { WebSearchEngine } from '../../resources/tools.ts'
import type { Transcript } from '../items.ts'

export interface SearchRequest {
  form: 'tool' | 'plugin' | 'suffix'
  path: string
  /** Search engine. If undefined, the gateway chooses one. */
  engine: WebSearchEngine | undefined
  /** The request's `max_results`, or the default. */
  requestedResults: number
  /** `requestedResults`, capped by `max_total_results`. */
  maxResults: number
  include: readonly string[]
  exclude: readonly string[]
}

const defaultResults = 5

/** Returns the searches that a request offers, in order of precedence. */
export function readSearchRequests(
  { tools = [], toolChoice, plugins = [] }: Prompt,
  model: string,
): SearchRequest[] {
  const fromTools = tools.flatMap((tool) => (tool.kind === 'search' ? fromTool(tool) : []))
  const fromPlugins = plugins.map((plugin, index) => fromPlugin(plugin, `body.plugins[${index}]`))
  const requests = toolChoice === 'none' ? fromPlugins : [...fromTools, ...fromPlugins]
  if (!isOnline(model)) return requests
  return [...requests, { ...fromPlugin({ id: 'web', engine: 'native' }, 'body.model'), form: 'suffix' }]
}

const asking =
  /\b(search|look up|google|online|internet|web|news|latest|current(ly)?|recent(ly)?|today|sources?|cite|citations?|suche?|recherchiere|cherche|busca|pesquis[ae])\b|検索|搜索|搜一下|поиск|найди|खोज|ابحث|חפש/iu

/**
 * Returns true if the tool is forced or the only one, or if the question asks for a search and the last item is not a
 * tool's output. An offer alone is not enough, because agents offer the tool with every request.
 */
export function usesSearchTool(
  { tools = [], toolChoice }: Prompt,
  { question, answersTool }: Pick<Transcript, 'question' | 'answersTool'>,
): boolean {
  if (toolChoice === 'search' || tools.every(({ kind }) => kind === 'search')) return true
  if (typeof toolChoice === 'object') return !forcedTool({ tools, toolChoice })
  return !answersTool && asking.test(question)
}

/** Returns true for `vendor/model:online`, which enables the model's native web search. */
export function isOnline(model: string): boolean {
  return /:online(?=:|$)/.test(model)
}

export function withoutOnline(model: string): string {
  return model.replace(/:online(?=:|$)/, '')
}

function fromTool({ parameters, path }: PromptTool & { kind: 'search' }): SearchRequest {
  const { engine, max_results: requestedResults = defaultResults, ...rest } = parameters ?? {}
  return {
    form: 'tool',
    path,
    engine: engine === 'auto' ? undefined : engine,
    requestedResults,
    // A request runs only one search, so both limits apply to it.
    maxResults: Math.min(requestedResults, rest.max_total_results ?? Infinity),
    include: rest.allowed_domains ?? [],
    exclude: rest.excluded_domains ?? [],
  }
}

function fromPlugin(plugin: WebPlugin, path: string): SearchRequest {
  const { engine, max_results: count = defaultResults } = plugin
  const { include_domains: include = [], exclude_domains: exclude = [] } = plugin
  return { form: 'plugin', path, engine, requestedResults: count, maxResults: count, include, exclude }
}
