/** Resolves `@preset/<slug>` and `<model>@preset/<slug>` to settings that the request omits. */
import { fieldsOf, listOf, textOf } from '../lib/json.ts'
import type { RequestContext } from '../operation.ts'
import type { CreateResponseBody, RequestSettings } from '../resources/create-response-body.ts'
import type { PresetVersion } from '../resources/preset.ts'
import type { Prompt, PromptSettings, PromptTool, TextForm } from '../resources/prompt.ts'
import { clientTools, isFunction, isWebSearch, runsAtClient, type Tool } from '../resources/tools.ts'
import { unknownSlug } from '../resources/unknown-slug.ts'
import { isOnline, withoutOnline } from './search/search.ts'

/** Throws 404 for an unknown preset. An inactive preset works, but logs a warning. */
export async function applyPreset(
  prompt: Prompt,
  { sandbox, assume, warn }: Pick<RequestContext, 'sandbox' | 'assume' | 'warn'>,
): Promise<{ prompt: Prompt; model: string; preset?: RequestSettings }> {
  const [, base, slug = ''] = /^(.*?)@preset\/(.*)$/s.exec(withoutOnline(prompt.model)) ?? []
  if (base === undefined) return { prompt, model: prompt.model }
  const { presets, presetVersions } = sandbox.tables
  assume('presetModel')
  const preset = await presets.findBy('slug', slug)
  if (!preset) {
    assume('notFound')
    throw unknownSlug('no preset has the slug', slug, await presets.rows())
  }
  if (preset.status !== 'active') {
    assume('presetStatus')
    warn(`The preset '${slug}' is ${preset.status}`)
  }
  // Every preset has a designated version, and versions are validated when they are stored.
  const version = (await presetVersions.findBy('id', preset.designated_version_id)) as PresetVersion
  const { model: own = prompt.model, ...config } = version.config as RequestSettings
  const model = base || own
  if (Object.keys(config).some((key) => key !== 'temperature')) assume('presetConfig')
  const settings = { ...config, instructions: version.system_prompt }
  const requested = Object.entries(prompt).filter(([, value]) => value !== undefined)
  return {
    prompt: {
      ...promptSettings(settings),
      ...(Object.fromEntries(requested) as typeof prompt),
      ...(base !== '' && { model: base }),
    },
    model: isOnline(prompt.model) && !isOnline(model) ? `${model}:online` : model,
    preset: settings,
  }
}

export function promptSettings(settings: RequestSettings | CreateResponseBody): PromptSettings {
  const { tools, tool_choice: choice, text, reasoning } = settings
  const verbosity = text?.verbosity
  return {
    instructions: settings.instructions ?? undefined,
    maxOutputTokens: settings.max_output_tokens ?? undefined,
    tools: allowedTools(tools?.map(toPromptTool), choice),
    toolChoice: typeof choice === 'object' && choice ? toToolChoice(choice) : (choice ?? undefined),
    text: text
      ? {
          format: toFormat(text.format),
          verbosity: verbosity == null ? undefined : { value: verbosity, path: 'body.text.verbosity' },
        }
      : undefined,
    reasoning: reasoning ? toReasoning(reasoning) : undefined,
    plugins: settings.plugins ?? undefined,
    xSearchFilter: settings.x_search_filter ?? undefined,
  }
}

export function toPromptTool(tool: Tool, index: number): PromptTool {
  const path = `body.tools[${index}].parameters`
  if (isFunction(tool)) {
    const { name, parameters, strict } = tool
    return { kind: 'function', name, parameters, strict, path }
  }
  if (isWebSearch(tool)) return { kind: 'search', parameters: tool.parameters, path }
  return { kind: 'other', type: tool.type, runsAtClient: runsAtClient(tool), offers: clientTools([tool]) }
}

function toToolChoice(choice: RequestSettings['tool_choice'] & object): Prompt['toolChoice'] {
  if (choice.type === 'function') return { name: choice.name, path: 'body.tool_choice.name' }
  return toOtherChoice(choice)
}

export function toOtherChoice(choice: { type: string }): Prompt['toolChoice'] {
  if (choice.type === 'gateway:web_search') return 'search'
  if (choice.type === 'allowed_tools') return allowedIn(choice)['mode'] === 'required' ? 'required' : 'auto'
  const { name, custom } = fieldsOf(choice)
  return { type: choice.type, name: textOf(name ?? fieldsOf(custom)['name']), path: 'body.tool_choice' }
}

/** Returns the tools listed in a `tool_choice` of type `allowed_tools`. Any other choice allows all tools. */
export function allowedTools(
  tools: readonly PromptTool[] | undefined,
  choice: unknown,
): readonly PromptTool[] | undefined {
  if (fieldsOf(choice)['type'] !== 'allowed_tools') return tools
  const allowed = listOf(allowedIn(choice)['tools']).map((each) => {
    const { type, name, function: called } = fieldsOf(each)
    return { type, name: name ?? fieldsOf(called)['name'] }
  })
  if (allowed.length === 0) return tools
  return tools?.filter((tool) =>
    allowed.some(({ type, name }) => {
      if (tool.kind === 'function') return name === tool.name
      return tool.kind === 'search' ? /web_search/.test(String(type)) : type === tool.type
    }),
  )
}

function allowedIn(choice: unknown): Record<string, unknown> {
  const fields = fieldsOf(choice)
  return fieldsOf(fields['allowed_tools'] ?? fields)
}

function toFormat(format: NonNullable<RequestSettings['text']>['format']): TextForm['format'] {
  if (!format || format.type === 'text') return undefined
  if (format.type !== 'json_schema' || !format.schema) return 'json'
  return { schema: format.schema, strict: format.strict, path: 'body.text.format.schema' }
}

export function toReasoning(reasoning: NonNullable<RequestSettings['reasoning']>): Prompt['reasoning'] {
  const { effort, max_tokens, enabled, summary, exclude } = reasoning
  if (effort === 'none' || max_tokens === 0 || enabled === false) return 'none'
  if (effort == null && max_tokens == null && enabled !== true && summary == null) return 'none'
  return {
    effort: effort ?? undefined,
    maxTokens: max_tokens ?? undefined,
    summary: summary ?? undefined,
    isHidden: exclude === true,
  }
}
