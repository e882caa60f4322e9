/**
 * Web search: whether one runs for a request, and what it finds. Spec: POST /responses.
 */
import type { AssumptionName } from '../../assumptions.ts'
import { invalidRequest } from '../../http/errors.ts'
import type { Prompt } from '../../resources/prompt.ts'
import type { XSearchFilter } from '../../resources/x-search-filter.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import type { Source } from './citations.ts'
import { findPages, findPosts, pageCorpus, postCorpus, type Query } from './corpus.ts'
import { compileFilter } from './domains.ts'
import { isOnline, limitViolations, readSearchRequests, type SearchRequest } from './search-request.ts'

interface SearchContext {
  sandbox: SandboxState
  assume(name: AssumptionName): void
  warn(message: string): void
}

/**
 * What the search of a request finds; undefined where none runs. Throws 400 where a request asks for
 * more than its engine gives.
 *
 * @param model The model that answers: that of the preset, where the request names a preset.
 */
export async function searchWeb(
  prompt: Prompt,
  model: string,
  question: string,
  context: SearchContext,
): Promise<Source[] | undefined> {
  const { tools, plugins, xSearchFilter } = prompt
  // Most requests say nothing of a search.
  if (!tools && !plugins && !xSearchFilter && !isOnline(model)) return undefined
  const request = chooseSearch(prompt, model, context)
  const filter = chooseFilter(prompt, model, request, context)
  return request && search(request, filter, question, context)
}

async function search(
  request: SearchRequest,
  filter: XSearchFilter | undefined,
  question: string,
  context: SearchContext,
): Promise<Source[]> {
  const { sandbox, assume } = context
  assume('searchResults')
  if (request.include.length > 0 || request.exclude.length > 0) assume('domainEntries')
  const query = { question, limit: request.maxResults, passes: compileFilter(request) }
  const pages = findPages(await sandbox.tables.pages.memo('corpus', pageCorpus), query)
  const sources = filter ? await withPosts(pages, query, filter, context) : pages
  warnOfPoorResult(sources, context)
  return sources
}

async function withPosts(
  pages: Source[],
  query: Query,
  filter: XSearchFilter,
  { sandbox, assume }: SearchContext,
): Promise<Source[]> {
  assume('xSearchPosts')
  const posts = findPosts(await sandbox.tables.posts.memo('corpus', postCorpus), query, filter)
  return takeTurns(posts, pages).slice(0, query.limit)
}

function warnOfPoorResult(sources: readonly Source[], { warn }: SearchContext): void {
  if (sources.length === 0) warn('The search found nothing: its filters leave no page')
  else if (sources.every(({ isUnrelated }) => isUnrelated))
    warn('The search matched no page: it cites pages in the order of the fixtures')
}

/** The search that runs, if one does. */
function chooseSearch(
  prompt: Prompt,
  model: string,
  { sandbox, assume, warn }: SearchContext,
): SearchRequest | undefined {
  const requests = readSearchRequests(prompt, model)
  const { limitedEngine } = sandbox.options.search
  if (limitedEngine && requests.some(({ engine }) => engine === limitedEngine)) assume('limitedEngine')
  const violations = limitViolations(requests, limitedEngine)
  if (violations.length > 0) {
    assume('violations')
    throw invalidRequest(violations)
  }
  warnOfDeprecated(requests, warn)
  warnOfOtherTools(prompt, warn)

  const [request] = requests
  if (requests.length > 1) assume('searchForms')
  if (request?.engine !== 'native') return request
  assume('nativeSearch')
  return request
}

/** The filter by which posts join the search, if they do. */
function chooseFilter(
  { xSearchFilter: filter }: Prompt,
  model: string,
  request: SearchRequest | undefined,
  { assume, warn }: SearchContext,
): XSearchFilter | undefined {
  if (!filter || (request && model.toLowerCase().startsWith('x-ai/'))) return filter ?? undefined
  assume('xSearchModels')
  warn(`x_search_filter was ignored: it needs a web search on a model of the vendor 'x-ai'`)
  return undefined
}

function warnOfDeprecated(requests: readonly SearchRequest[], warn: (message: string) => void): void {
  const instead = "is deprecated: use the tool 'gateway:web_search'"
  if (requests.some(({ form }) => form === 'plugin')) warn(`The plugin 'web' ${instead}`)
  if (requests.some(({ form }) => form === 'suffix')) warn(`The model suffix ':online' ${instead}`)
}

/** Search tools of other services, for example, which somebody may expect to run here. */
function warnOfOtherTools({ tools = [] }: Prompt, warn: (message: string) => void): void {
  const types = new Set<string>()
  for (const tool of tools) if (tool.kind === 'other') types.add(tool.type)
  for (const type of [...types].slice(0, maxTypes)) {
    warn(`The tool '${type.slice(0, 100)}' was not run: the gateway runs 'gateway:web_search' and no other`)
  }
  if (types.size > maxTypes) warn(`Nor were tools of ${types.size - maxTypes} more types`)
}

/** Types of tools that are warned of one by one. */
const maxTypes = 10

function takeTurns<Item>(first: readonly Item[], second: readonly Item[]): Item[] {
  const rounds = Array.from({ length: Math.max(first.length, second.length) }, (_, round) => round)
  return rounds.flatMap((round) => [first[round], second[round]]).filter((item) => item !== undefined)
}
