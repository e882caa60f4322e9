/** Rules for valid requests: parts that all protocols share, and the rules of POST /responses. */
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { countTokens } from '../../model/tokens.ts'
import { type SentSchema, schemaRules } from './json-schemas.ts'
import type { RequestFacts, RequestRule, RequestRules } from './rule.ts'

/** A call or its result. */
export interface Step {
  readonly kind: 'call' | 'result'
  readonly id: string
}

/** Pairs the calls and results of a group by their ids, in any order. */
export function pairsIn<Each extends Step>(steps: readonly Each[]) {
  const first = { call: new Map<string, Each>(), result: new Map<string, Each>() }
  const repeated: Each[] = []
  for (const step of steps) {
    if (first[step.kind].has(step.id)) repeated.push(step)
    else first[step.kind].set(step.id, step)
  }
  return {
    unanswered: [...first.call.values()].filter(({ id }) => !first.result.has(id)),
    orphans: [...first.result.values()].filter(({ id }) => !first.call.has(id)),
    /** Second and further calls, and results, with an id. */
    repeated,
  }
}

export interface SentTool {
  readonly name: string
  /** Path of the name in the body, such as `tools[0].name`. */
  readonly param: string
}

/** Returns OpenAI's rules for the names of the tools that a function finds in a body. */
export function toolNameRules(
  toolsIn: (body: unknown) => readonly SentTool[],
  maxLength: number,
): RequestRules {
  return {
    'tool-name-pattern': {
      source: 'https://github.com/run-llama/llama_index/issues/16093',
      *find(body) {
        // Some models accept dots.
        for (const { param } of toolsIn(body).filter((tool) => /[^\w.-]/.test(tool.name))) {
          const pattern = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."
          yield { param, message: `Invalid '${param}': string does not match pattern. ${pattern}` }
        }
      },
    },
    'tool-name-length': {
      source: 'https://github.com/PipedreamHQ/pipedream/issues/17092',
      *find(body) {
        for (const { name, param } of toolsIn(body).filter((tool) => tool.name.length > maxLength)) {
          const expected = `Expected a string with maximum length ${maxLength}`
          const but = `but got a string with length ${name.length} instead.`
          yield { param, message: `Invalid '${param}': string too long. ${expected}, ${but}` }
        }
      },
    },
  }
}

/** Returns true if the model's record lacks a parameter, which OpenRouter ignores. */
export function lacksParameter({ model, isVendor }: RequestFacts, name: string): boolean {
  return model !== undefined && !isVendor && !model.supported_parameters.includes(name)
}

export function lacksInput({ model }: RequestFacts, modality: string): boolean {
  return model !== undefined && !model.architecture.input_modalities.includes(modality)
}

/**
 * Returns the least number of tokens that a vendor could count in the prompt, below our estimate.
 * Returns 0 if the prompt has less than `enough` characters, and so less tokens.
 */
export function leastTokens({ conversation }: RequestFacts, enough: number): number {
  const texts = conversation.items.map((item) => {
    if (item.kind === 'call') return item.arguments
    return item.kind === 'reference' ? '' : item.text
  })
  if (texts.reduce((sum, { length }) => sum + length, 0) < enough) return 0
  return Math.floor(texts.reduce((sum, text) => sum + countTokens(text), 0) / estimateToLeast)
}

const estimateToLeast = 1.4

export const rules: RequestRules = {
  'tool-result-without-call': inputRule(
    'https://github.com/continuedev/continue/issues/10092',
    (body, facts) => {
      const results = callsIn(body, facts).orphans.filter(({ type }) => type === 'function_call_output')
      return results.map(({ id }) => `No tool call found for function call output with call_id ${id}.`)
    },
  ),
  'tool-call-without-result': inputRule(
    'https://github.com/openai/openai-agents-python/issues/673',
    (body, facts) => {
      const { unanswered } = callsIn(body, facts)
      const calls = unanswered.filter(({ type }) => /^(function|custom_tool)_call$/.test(type))
      return calls.map(({ id, type }) => `No tool output found for ${type.replaceAll('_', ' ')} ${id}.`)
    },
  ),
  'duplicate-item-id': inputRule('https://github.com/vercel/ai/issues/13307', (body, facts) => {
    const seen = new Set<string>()
    const repeated = allItems(body, facts).flatMap(({ id }) => {
      if (typeof id !== 'string' || id === '') return []
      if (seen.has(id)) return [id]
      seen.add(id)
      return []
    })
    const advice = 'Remove duplicate items from your input and try again.'
    return repeated.map((id) => `Duplicate item found with id ${id}. ${advice}`)
  }),
  'reasoning-without-item': inputRule('https://github.com/openai/openai-agents-js/issues/326', (body) => {
    const items = listOf(body['input']).map(fieldsOf)
    const alone = items.filter(({ type, id, encrypted_content: content }, place) => {
      const next = items[place + 1] ?? { role: 'user' }
      const isLast = next['role'] === 'user' || /_call_output$/.test(textOf(next['type']))
      const hasLostId = !content && /_call$/.test(textOf(next['type'])) && next['id'] == null
      return type === 'reasoning' && typeof id === 'string' && (isLast || hasLostId)
    })
    return alone.map(
      ({ id }) => `Item '${id}' of type 'reasoning' was provided without its required following item.`,
    )
  }),
  'item-without-reasoning': inputRule('https://github.com/mastra-ai/mastra/issues/8738', (body, facts) => {
    const items = allItems(body, facts)
    const ids = new Set(items.map(({ id }) => textOf(id)))
    const before = facts.stored?.before(ids)
    return items.flatMap(({ id, type = 'message' }, place) => {
      const required = fieldsOf(before?.get(textOf(id)))
      if (required['type'] !== 'reasoning' || ids.has(textOf(required['id']))) return []
      const subject = `Item '${id}' of type '${type}' was provided without its required 'reasoning' item`
      return items[place - 1]?.['type'] === 'reasoning' ? [] : [`${subject}: '${required['id']}'.`]
    })
  }),
  ...toolNameRules(namedTools, 128),
  ...schemaRules(sentSchemas),
  'parameter-unsupported': {
    source: 'https://github.com/BerriAI/litellm/pull/38842',
    *find(body, facts) {
      const { temperature, top_p, reasoning } = fieldsOf(body)
      const { effort } = fieldsOf(reasoning)
      const isReasoning = ['reasoning', 'reasoning_effort'].some((name) => !lacksParameter(facts, name))
      const params = [
        ...(lacksParameter(facts, 'temperature') && (temperature ?? 1) !== 1 ? ['temperature'] : []),
        ...(lacksParameter(facts, 'top_p') && (top_p ?? 1) !== 1 ? ['top_p'] : []),
        ...(!isReasoning && (effort ?? 'none') !== 'none' ? ['reasoning.effort'] : []),
      ]
      for (const param of params)
        yield { param, message: `Unsupported parameter: '${param}' is not supported with this model.` }
    },
  },
  'context-window': inputRule('https://github.com/dyad-sh/dyad/issues/1672', (body, facts) => {
    const window = body['truncation'] === 'auto' ? undefined : facts.model?.context_length
    if (window === undefined || leastTokens(facts, window) <= window) return []
    return ['Your input exceeds the context window of this model. Please adjust your input and try again.']
  }),
}

/** Returns a rule for the input, of which a function returns the vendor's messages. */
function inputRule(
  source: string,
  problems: (body: Item, facts: RequestFacts) => readonly string[],
): RequestRule {
  const find = (body: unknown, facts: RequestFacts) =>
    problems(fieldsOf(body), facts).map((message) => ({ param: 'input', message }))
  return { source, find }
}

type Item = Readonly<Record<string, unknown>>

/** Returns the items in the input, of which references to stored items are replaced with these. */
function sentItems(body: unknown, { stored }: RequestFacts): Item[] {
  const items = listOf(fieldsOf(body)['input']).map(fieldsOf)
  const references = items.filter(({ type }) => type === 'item_reference')
  const found = stored?.items(references.map(({ id }) => textOf(id)))
  return items.map((item) =>
    item['type'] === 'item_reference' ? fieldsOf(found?.get(textOf(item['id'])) ?? item) : item,
  )
}

function allItems(body: unknown, facts: RequestFacts): Item[] {
  const earlier = facts.stored?.find(textOf(fieldsOf(body)['previous_response_id']))
  return [...listOf(earlier).map(fieldsOf), ...sentItems(body, facts)]
}

function callsIn(body: unknown, facts: RequestFacts) {
  const { previous_response_id: previous, conversation } = fieldsOf(body)
  const items = allItems(body, facts)
  // A response, conversation or item that is not stored here could contain a call or its result.
  const isPartial =
    conversation != null ||
    (previous != null && !facts.stored?.find(textOf(previous))) ||
    items.some(({ type }) => type === 'item_reference')
  const steps = items.flatMap(({ type, call_id }) => {
    const isResult = /_output$/.test(textOf(type))
    if (typeof call_id !== 'string' || (!isResult && !/_call$/.test(textOf(type)))) return []
    return { kind: isResult ? 'result' : 'call', id: call_id, type: textOf(type) } as const
  })
  return pairsIn(isPartial ? [] : steps)
}

function namedTools(body: unknown): SentTool[] {
  return listOf(fieldsOf(body)['tools']).flatMap((tool, place) => {
    const { type, name } = fieldsOf(tool)
    return type === 'function' || type === 'custom'
      ? { name: textOf(name), param: `tools[${place}].name` }
      : []
  })
}

function sentSchemas(body: unknown): SentSchema[] {
  const { tools, text } = fieldsOf(body)
  const functions = listOf(tools).flatMap((tool, place): SentSchema[] => {
    const { type, name, parameters: schema, strict } = fieldsOf(tool)
    if (type !== 'function') return []
    return [
      { schema, isStrict: strict === true, kind: 'function', name, param: `tools[${place}].parameters` },
    ]
  })
  const { type, name, schema, strict } = fieldsOf(fieldsOf(text)['format'])
  if (type !== 'json_schema') return functions
  const format = { schema, isStrict: strict === true, kind: 'response_format', name } as const
  return [...functions, { ...format, param: 'text.format.schema' }]
}
