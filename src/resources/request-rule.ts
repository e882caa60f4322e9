/** Rules of vendors that no schema can express, such as that each tool call has its result. */
import type { CatalogueModel } from './catalogue-model.ts'
import type { Conversation } from './conversation.ts'
import type { StoredConversations } from './protocol.ts'

/** A rule, whose key in `Protocol.rules` is its name. */
export interface RequestRule {
  /** Address of the vendor's document, or of a public thread that quotes the refusal. */
  readonly source: string
  /** Yields the places that break the rule. The first one's message becomes the error's. */
  find(body: unknown, facts: RequestFacts): Iterable<Breach>
}

export type RequestRules = Readonly<Record<string, RequestRule>>

export interface Breach {
  /** Path of the value in the body, such as `messages[2].tool_calls`; the error's `param`. */
  readonly param: string
  /** The vendor's message. */
  readonly message: string
  /** Status of the refusal. Default: 400. */
  readonly status?: number
}

/** A breach with its rule, as in the journal. */
export interface BrokenRule extends Breach {
  readonly rule: string
}

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
