/** Rule types, and helpers that several formats share. */
import type { ValidRequest } from '../../gateway/extra.ts'
import type { BrokenRule } from '../../journal/call-record.ts'
import { countTokens } from '../../model/tokens.ts'
import type { CatalogueModel } from '../../resources/catalogue-model.ts'
import type { StoredConversations } from '../../resources/protocol.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'

export type Fields = Readonly<Record<string, unknown>>

/** An operation's rules. */
export interface Rules<Rule extends string = string> {
  /** Each rule's source: a vendor's document or a public thread. Broken rules are reported in this order. */
  readonly sources: Readonly<Record<Rule, string>>
  check(body: Fields, facts: Facts): Iterable<(BrokenRule & { readonly rule: Rule }) | false | undefined>
}

export interface Facts extends Pick<ValidRequest, 'conversation' | 'isVendor'>, Pick<SandboxState, 'memory'> {
  /** The model's record in the catalogue; undefined for an unlisted model. */
  readonly model: CatalogueModel | undefined
  readonly stored: StoredConversations | undefined
}

export function breach<Rule extends string>(rule: Rule, param: string, message: string, status = 400) {
  return { rule, param, message, status }
}

/** A tool call or its result. */
export interface Step {
  readonly kind: 'call' | 'result'
  readonly id: string
  /** If true, another block precedes the result in its message. */
  readonly isLate?: boolean
}

/** Pairs a group's calls and results by id, in any order. */
export function pairsIn<Each extends Step>(steps: readonly Each[]) {
  const first = { call: new Map<string, Each>(), result: new Map<string, Each>() }
  const repeated: Each[] = []
  for (const step of steps) {
    if (first[step.kind].has(step.id)) repeated.push(step)
    else first[step.kind].set(step.id, step)
  }
  const isOpen = ({ id }: Step) => first.result.get(id)?.isLate ?? !first.result.has(id)
  const orphans = [...first.result.values()].filter(({ id }) => !first.call.has(id))
  return { unanswered: [...first.call.values()].filter(isOpen), orphans, repeated }
}

/** Returns true if the model does not support a parameter; always false for OpenRouter, which ignores it. */
export function lacksParameter({ model, isVendor }: Facts, name: string): boolean {
  return model !== undefined && !isVendor && !model.supported_parameters.includes(name)
}

/** Returns the lowest token count a vendor could report; 0 if the prompt has fewer than `enough` characters. */
export function leastTokens({ conversation }: Facts, enough: number): number {
  const texts = conversation.items.map((item) => {
    return item.kind === 'call' ? item.arguments : item.kind === 'reference' ? '' : item.text
  })
  const text = texts.join(' ')
  // Our estimate is up to 1.4 times as high as a vendor's count.
  return text.length < enough ? 0 : Math.floor(countTokens(text) / 1.4)
}
