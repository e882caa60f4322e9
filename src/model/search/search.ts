/** Runs a request's web search, if it has one. Spec: POST /responses, Plugin object, Versioning 5. */
import { invalidRequest } from '../../http/errors.ts'
import type { RequestContext } from '../../operation.ts'
import type { WebPlugin } from '../../resources/create-response-body.ts'
import { forcedTool, type Prompt } from '../../resources/prompt.ts'
import type { Transcript } from '../items.ts'
import type { Source } from './citations.ts'
import { findPages, findPosts, toCorpus } from './corpus.ts'
import { compileFilter } from './domains.ts'

type SearchContext = Pick<RequestContext, 'sandbox' | 'script' | 'assume' | 'warn'>

/** Returns undefined if the request has no search. Throws 400 if the search exceeds its engine's limit. */
export async function searchWeb(
  prompt: Prompt,
  model: string,
  transcript: Transcript,
  context: SearchContext,
): Promise<Source[] | undefined> {
  const { tools, plugins, xSearchFilter } = prompt
  const { sandbox, script, assume, warn } = context
  if (!tools && !plugins && !xSearchFilter && !isOnline(model)) return undefined
  const request = chooseSearch(prompt, model, transcript, context)
  const isFiltered = xSearchFilter && request && model.toLowerCase().startsWith('x-ai/')
  if (xSearchFilter && !isFiltered) {
    assume('xSearchModels')
    warn(`x_search_filter was ignored: it requires a web search with an 'x-ai' model`)
  }
  if (!request || (!script && forcedTool(prompt) !== undefined)) return undefined
  const { pages, posts } = sandbox.tables
  assume('searchResults')
  if (request.include.length > 0 || request.exclude.length > 0) assume('domainEntries')
  const query = { question: transcript.question, limit: request.maxResults, passes: compileFilter(request) }
  let sources = findPages(await pages.memo('corpus', toCorpus), query)
  if (isFiltered) {
    assume('xSearchPosts')
    const found = findPosts(await posts.memo('corpus', toCorpus), query, xSearchFilter)
    sources = interleave(found, sources).slice(0, query.limit)
  }
  if (sources.length === 0) warn('The search found nothing: its filters exclude every page')
  else if (sources.every(({ isUnrelated }) => isUnrelated))
    warn('No page matches the question: the search returned pages in fixture order')
  return sources
}

/** Maximum `max_results` of the limited engine. Spec: Limits. */
const limitedResults = 20

function chooseSearch(
  prompt: Prompt,
  model: string,
  transcript: Transcript,
  { sandbox, script, assume, warn }: SearchContext,
): SearchRequest | undefined {
  const requests = readSearchRequests(prompt, model)
  const { limitedEngine } = sandbox.options.search
  if (limitedEngine && requests.some(({ engine }) => engine === limitedEngine)) assume('limitedEngine')
  const violations = requests
    .filter(({ engine, requestedResults }) => engine === limitedEngine && requestedResults > limitedResults)
    .map(({ path, requestedResults }) => ({
      path: `${path}.max_results`,
      message: `Must be at most ${limitedResults} for the engine ${limitedEngine}, got ${requestedResults}`,
      rule: 'too_big',
    }))
  if (violations.length > 0) {
    assume('violations')
    throw invalidRequest(violations)
  }
  const notice = "is deprecated: use the 'gateway:web_search' tool"
  if (requests.some(({ form }) => form === 'plugin')) warn(`The 'web' plugin ${notice}`)
  if (requests.some(({ form }) => form === 'suffix')) warn(`The ':online' model suffix ${notice}`)
  warnOfOtherTools(prompt, warn)

  const usesTool = script !== undefined || usesSearchTool(prompt, transcript)
  const request = requests.find(({ form }) => form !== 'tool' || usesTool)
  if (request !== requests[0]) assume('offeredSearch')
  if (requests.length > 1) assume('searchForms')
  if (request?.engine === 'native') assume('nativeSearch')
  return request
}

function warnOfOtherTools({ tools = [] }: Prompt, warn: (message: string) => void): void {
  const others = tools.flatMap((tool) =>
    tool.kind === 'other' && !tool.runsAtClient ? [`'${tool.type.slice(0, 100)}'`] : [],
  )
  const types = [...new Set(others)].slice(0, 20).join(', ')
  if (types !== '') warn(`Tools of type ${types} were not run: the gateway only runs 'gateway:web_search'`)
}

function interleave<Item>(first: readonly Item[], second: readonly Item[]): Item[] {
  const longer = first.length > second.length ? first : second
  return longer.flatMap((_, round) => [first[round], second[round]]).filter((item) => item !== undefined)
}

/** If the engine is undefined, the gateway chooses one. */
type SearchRequest = ReturnType<typeof toRequest>

function readSearchRequests(
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

/** Offering the tool among others is not enough, because agents offer it with every request. */
function usesSearchTool(
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
