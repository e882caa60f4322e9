/**
 * Whether a request asks for web search, in which of the three forms, and on what terms.
 * Spec: POST /responses, Plugin object, Versioning 5.
 */
import type { Violation } from '../../http/errors.ts'
import type { WebPlugin } from '../../resources/create-response-body.ts'
import type { Prompt, PromptTool } from '../../resources/prompt.ts'
import type { WebSearchEngine } from '../../resources/tools.ts'

export interface SearchRequest {
  form: 'tool' | 'plugin' | 'suffix'
  /** Where it stands in the request. */
  path: string
  /** Where undefined, the gateway chooses one that can search. */
  engine: WebSearchEngine | undefined
  /** `max_results` of the request, or its default. */
  askedResults: number
  /** How many results it gets. */
  maxResults: number
  include: readonly string[]
  exclude: readonly string[]
}

const defaultResults = 5
const limitedResults = 20

/** Every form that a request uses. The first one counts: the tool, then what it replaces. */
export function readSearchRequests(
  { tools = [], toolChoice, plugins = [] }: Prompt,
  model: string,
): SearchRequest[] {
  const found: SearchRequest[] = []
  for (const tool of tools) if (tool.kind === 'search' && toolChoice !== 'none') found.push(fromTool(tool))
  for (const [index, plugin] of plugins.entries()) found.push(fromPlugin(plugin, `body.plugins[${index}]`))
  if (isOnline(model)) found.push(fromSuffix())
  return found
}

/** What one particular engine does not give. Spec: Limits, web search `max_results`. */
export function limitViolations(
  requests: readonly SearchRequest[],
  limited: WebSearchEngine | null,
): Violation[] {
  return requests
    .filter(
      ({ engine, askedResults }) =>
        engine !== undefined && engine === limited && askedResults > limitedResults,
    )
    .map(({ path }) => ({
      path: `${path}.max_results`,
      message: `Must be at most ${limitedResults} for the engine ${limited}`,
      rule: 'too_big',
    }))
}

/** `vendor/model:online` asks for the web search that the model itself has. */
export function isOnline(model: string): boolean {
  return /:online(?=:|$)/.test(model)
}

/** The model's own name, without what was asked of it. */
export function withoutOnline(model: string): string {
  return model.replace(/:online(?=:|$)/, '')
}

function fromTool({ parameters, path }: PromptTool & { kind: 'search' }): SearchRequest {
  const {
    engine,
    max_results = defaultResults,
    max_total_results = max_results,
    allowed_domains = [],
    excluded_domains = [],
  } = parameters ?? {}
  return {
    form: 'tool',
    path,
    engine: engine === 'auto' ? undefined : engine,
    askedResults: max_results,
    // One search is made for each request, so its results are all results.
    maxResults: Math.min(max_results, max_total_results),
    include: allowed_domains,
    exclude: excluded_domains,
  }
}

function fromPlugin(plugin: WebPlugin, path: string): SearchRequest {
  const { engine, max_results = defaultResults, include_domains = [], exclude_domains = [] } = plugin
  return {
    form: 'plugin',
    path,
    engine,
    askedResults: max_results,
    maxResults: max_results,
    include: include_domains,
    exclude: exclude_domains,
  }
}

function fromSuffix(): SearchRequest {
  return {
    form: 'suffix',
    path: 'body.model',
    engine: 'native',
    askedResults: defaultResults,
    maxResults: defaultResults,
    include: [],
    exclude: [],
  }
}
