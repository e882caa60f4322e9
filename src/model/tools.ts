/**
 * The entries of `tools`: functions that the caller runs, the web search that the gateway runs, and others, which
 * are let through and left alone. Spec: POST /responses; the shape of an entry is ours.
 * Lazy schemas are built on first use, so that importing the double stays quick.
 */
import * as z from 'zod'

export const WebSearchEngine = z.enum(['native', 'engine_a', 'engine_b', 'engine_c'])
export type WebSearchEngine = z.infer<typeof WebSearchEngine>

const FunctionTool = z.lazy(() =>
  z.looseObject({
    type: z.literal('function'),
    name: z.string().min(1),
    description: z.string().nullish(),
    parameters: z.looseObject({}).nullish().describe('JSON Schema of the arguments.'),
    strict: z.boolean().nullish(),
  }),
)
export type FunctionTool = z.infer<typeof FunctionTool>

const WebSearchTool = z.lazy(() =>
  z.looseObject({
    type: z.literal('gateway:web_search'),
    parameters: z
      .looseObject({
        engine: z.enum(['auto', ...WebSearchEngine.options]).optional(),
        max_results: z.int().min(1).max(25).optional(),
        max_total_results: z.int().min(1).optional(),
        allowed_domains: z.array(z.string().min(1)).optional(),
        excluded_domains: z.array(z.string().min(1)).optional(),
        search_context_size: z.enum(['low', 'medium', 'high']).optional(),
        user_location: z.looseObject({}).nullish(),
      })
      .nullish(),
  }),
)
export type WebSearchTool = z.infer<typeof WebSearchTool>

/**
 * Any entry of `tools`. A union would report a bad parameter of one kind as "no kind at all", so the kind is
 * looked at first, and the violations are those of that kind.
 */
export const Tool = z.looseObject({ type: z.string() }).check(({ value, issues }) => {
  const kind =
    value.type === 'function' ? FunctionTool : value.type === 'gateway:web_search' ? WebSearchTool : undefined
  for (const issue of kind?.safeParse(value).error?.issues ?? [])
    issues.push({ ...issue, input: value } as never)
})
export type Tool = z.infer<typeof Tool>

export function isFunction(tool: Tool): tool is FunctionTool {
  return tool.type === 'function'
}

export function isWebSearch(tool: Tool): tool is WebSearchTool {
  return tool.type === 'gateway:web_search'
}
