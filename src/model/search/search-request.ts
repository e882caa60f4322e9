/** Reads the forms of web search that a request uses. Spec: POST /responses, Plugin object, Versioning 5. */
import type { WebPlugin } from '../../resources/create-response-body.ts'
import { forcedTool, type Prompt } from '../../resources/prompt.ts'
import type { Transcript } from '../items.ts'

/** If the engine is undefined, the gateway chooses one. */
export type SearchRequest = ReturnType<typeof toRequest>

/** Returns the searches that a request offers, in order of precedence. */
export function readSearchRequests(
  { tools = [], toolChoice, plugins = [] }: Prompt,
  model: string,
): SearchRequest[] {
  const fromTools = tools.flatMap((tool) => {
    if (tool.kind !== 'search' || toolChoice === 'none') return []
    const { engine, max_total_results: total = Infinity, ...rest } = tool.parameters ?? {}
    const domains = { include_domains: rest.allowed_domains, exclude_domains: rest.excluded_domains }
    const fields = { ...rest, ...domains, engine: engine === 'auto' ? undefined : engine }
    const request = toRequest('tool', tool.path, fields)
    // A request runs only one search, so both limits apply to it.
    return { ...request, maxResults: Math.min(request.maxResults, total) }
  })
  const fromPlugins = plugins.map((plugin, index) => toRequest('plugin', `body.plugins[${index}]`, plugin))
  const suffix = isOnline(model) ? [toRequest('suffix', 'body.model', { engine: 'native' })] : []
  return [...fromTools, ...fromPlugins, ...suffix]
}

function toRequest(
  form: 'tool' | 'plugin' | 'suffix',
  path: string,
  { engine, max_results: maxResults = 5, ...domains }: Partial<WebPlugin>,
) {
  const { include_domains: include = [], exclude_domains: exclude = [] } = domains
  return { form, path, engine, requestedResults: maxResults, maxResults, include, exclude }
}

const asking =
  /\b(search|look up|google|online|internet|web|news|latest|current(ly)?|recent(ly)?|today|sources?|cite|citations?|suche?|recherchiere|cherche|busca|pesquis[ae])\b|検索|搜索|搜一下|поиск|найди|खोज|ابحث|חפש/iu

/** An offer alone is not enough, because agents offer the tool with every request. */
export function usesSearchTool(
  { tools = [], toolChoice }: Prompt,
  { question, answersTool }: Pick<Transcript, 'question' | 'answersTool'>,
): boolean {
  if (toolChoice === 'search' || tools.every(({ kind }) => kind === 'search')) return true
  if (typeof toolChoice === 'object') return !forcedTool({ tools, toolChoice })
  return !answersTool && asking.test(question)
}

export function isOnline(model: string): boolean {
  return /:online(?=:|$)/.test(model)
}

export function withoutOnline(model: string): string {
  return model.replace(/:online(?=:|$)/, '')
}
