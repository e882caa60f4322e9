/** Rules for valid requests: parts that all protocols share, and the rules of POST /responses. */
import { fieldsOf, listOf, textOf } from '../lib/json.ts'
import { countTokens } from '../model/tokens.ts'
import type { RequestFacts, RequestRules } from '../resources/request-rule.ts'
import { type SentSchema, schemaRules } from './schema-rules.ts'

/** A call or its result. */
export interface Step {
  readonly kind: 'call' | 'result'
  readonly id: string
  readonly param: string
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
): RequestRules<unknown> {
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
        for (const { name, param } of toolsIn(body)) {
          const { length } = name
          const expected = `Expected a string with maximum length ${maxLength}, but got a string with length ${length} instead.`
          if (length > maxLength) yield { param, message: `Invalid '${param}': string too long. ${expected}` }
        }
      },
    },
  }
}

/** Returns true if the model's record has no such parameter. OpenRouter ignores those, so it has no such rule. */
export function lacksParameter({ model, isVendor }: RequestFacts, name: string): boolean {
  return model !== undefined && !isVendor && !model.supported_parameters.includes(name)
}

export function lacksInput({ model }: RequestFacts, modality: string): boolean {
  return model !== undefined && !model.architecture.input_modalities.includes(modality)
}

/**
 * Returns the smallest number of tokens that a vendor could count in the prompt, which is less than our estimate.
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

export const responsesRules: RequestRules<unknown> = {
  'tool-result-without-call': {
    source: 'https://github.com/continuedev/continue/issues/10092',
    *find(body, { stored }) {
      const { previous_response_id: previous } = fieldsOf(body)
      // A stored response that is unknown here could contain the call.
      if (previous != null && !stored?.find(textOf(previous))) return
      for (const { id } of pairsIn(stepsIn(body)).orphans)
        yield { param: 'input', message: `No tool call found for function call output with call_id ${id}.` }
    },
  },
  ...toolNameRules(namedTools, 128),
  ...schemaRules(sentSchemas),
}

function stepsIn(body: unknown): Step[] {
  return listOf(fieldsOf(body)['input']).flatMap((item, place) => {
    const { type, call_id } = fieldsOf(item)
    const kind = /_call$/.test(textOf(type))
      ? 'call'
      : /_call_output$/.test(textOf(type))
        ? 'result'
        : undefined
    return kind ? { kind, id: textOf(call_id), param: `input[${place}]` } : []
  })
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
