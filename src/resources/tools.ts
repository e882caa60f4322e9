/** Entries in `tools`. Spec: POST /responses; their shape is unspecified. */
import * as z from 'zod'
import { fieldsOf, listOf } from '../lib/json.ts'
import { objectByType } from './object-by-type.ts'

export const WebSearchEngine = z.lazy(() => z.enum(['native', 'engine_a', 'engine_b', 'engine_c']))
export type WebSearchEngine = z.infer<typeof WebSearchEngine>

const FunctionTool = z.lazy(() =>
  z
    .looseObject({
      type: z.literal('function'),
      name: z.string().min(1),
      description: z.string().nullish(),
      parameters: z.looseObject({}).nullish().describe('JSON Schema of the arguments.'),
      strict: z.boolean().nullish(),
    })
    .meta({ id: 'FunctionTool', description: 'A function that the caller runs.' }),
)
export type FunctionTool = z.infer<typeof FunctionTool>

export const WebSearchTool = z.lazy(() =>
  z
    .looseObject({
      type: z.literal('gateway:web_search'),
      parameters: z
        .looseObject({
          engine: z.enum(['auto', ...WebSearchEngine.unwrap().options]).optional(),
          max_results: z.int().min(1).max(25).optional(),
          max_total_results: z.int().min(1).optional(),
          allowed_domains: z.array(z.string().min(1)).optional(),
          excluded_domains: z.array(z.string().min(1)).optional(),
          search_context_size: z.enum(['low', 'medium', 'high']).optional(),
          user_location: z.looseObject({}).nullish(),
        })
        .nullish(),
    })
    .meta({ id: 'WebSearchTool', description: 'Web search, run by the gateway.' }),
)
export type WebSearchTool = z.infer<typeof WebSearchTool>

export const anyTool = () => objectByType({ function: FunctionTool, 'gateway:web_search': WebSearchTool })
export type Tool = z.infer<ReturnType<typeof anyTool>>

export function isFunction(tool: Tool): tool is FunctionTool {
  return tool.type === 'function'
}

/** A function or custom tool, possibly in a namespace. The input of a custom tool is text. */
export interface ClientTool {
  readonly name: string
  readonly isCustom: boolean
  /** If true, the input of the custom tool follows a grammar. */
  readonly hasGrammar: boolean
  readonly namespace?: string | undefined
}

export function clientTools(tools: unknown, namespace?: string): ClientTool[] {
  return listOf(tools).flatMap((tool) => {
    const { type, name, format, tools: inner } = fieldsOf(tool)
    const hasGrammar = fieldsOf(format)['type'] === 'grammar'
    if (typeof name !== 'string') return []
    if (type === 'namespace') return namespace === undefined ? clientTools(inner, name) : []
    return type === 'function' || type === 'custom'
      ? { name, isCustom: type === 'custom', hasGrammar, namespace }
      : []
  })
}

/** Returns true for a tool that is not a function but whose calls the client runs. */
export function runsAtClient(tool: { type: string; execution?: unknown; environment?: unknown }): boolean {
  const { type, execution, environment } = tool
  if (type === 'shell') return !/^container/.test(String(fieldsOf(environment)['type']))
  return execution === 'client' || /^(custom|namespace|local_shell|apply_patch|computer.*)$/.test(type)
}

export function isWebSearch(tool: Tool): tool is WebSearchTool {
  return tool.type === 'gateway:web_search'
}
