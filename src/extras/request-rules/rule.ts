/** Rules of vendors that no schema can express, such as that each tool call has its result. */
import type { ValidRequest } from '../../gateway/extra.ts'
import type { BrokenRule } from '../../journal/call-record.ts'
import type { CatalogueModel } from '../../resources/catalogue-model.ts'
import type { Conversation } from '../../resources/conversation.ts'
import type { StoredConversations } from '../../resources/protocol.ts'

/** A rule, whose key in `RequestRules` is its name. */
export interface RequestRule {
  /** Address of the vendor's document, or of a public thread that quotes the refusal. */
  readonly source: string
  /** Yields the places that break the rule. The first one's message becomes the error's. */
  find(body: unknown, facts: RequestFacts): Iterable<Breach>
}

export type RequestRules = Readonly<Record<string, RequestRule>>

export type Breach = Omit<BrokenRule, 'rule'>

export interface RequestFacts {
  readonly conversation: Conversation
  /** The model's record in the catalogue; undefined for other models. */
  readonly model: CatalogueModel | undefined
  readonly stored: StoredConversations | undefined
  /** If true, the gateway has the names and fields of a vendor. */
  readonly isVendor: boolean
}

/** Returns rules that a function checks together, from their sources. */
export function rulesFor<Name extends string>(
  sources: Readonly<Record<Name, string>>,
  check: (body: unknown, facts: RequestFacts) => Iterable<Breach & { readonly rule: Name }>,
): RequestRules {
  const checked = new WeakMap<RequestFacts, (Breach & { readonly rule: Name })[]>()
  const toRule = (rule: Name): RequestRule => ({
    source: sources[rule],
    find(body, facts) {
      const found = checked.get(facts) ?? [...check(body, facts)]
      checked.set(facts, found)
      return found.filter((each) => each.rule === rule).map(({ rule: _, ...breach }) => breach)
    },
  })
  return Object.fromEntries((Object.keys(sources) as Name[]).map((rule) => [rule, toRule(rule)]))
}

/** Returns what a request breaks, in the order of the rules. */
export async function brokenRules(
  rules: RequestRules,
  { body, conversation, record: { model = '', state }, isVendor }: ValidRequest,
): Promise<BrokenRule[]> {
  const facts: RequestFacts = {
    conversation,
    model: await state.tables.models.find(model),
    stored: state.options.storedResponses ? state.storedResponses : undefined,
    isVendor,
  }
  return Object.entries(rules).flatMap(([rule, { find }]) =>
    [...find(body, facts)].slice(0, maxBreaches).map((breach) => ({ rule, ...breach })),
  )
}

const maxBreaches = 20
