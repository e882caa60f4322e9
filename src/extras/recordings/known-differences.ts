/**
 * Known differences between a dialect and its vendor's document, each with a reason. `drift` prints the reasons
 * instead of the findings.
 */
import type { KnownDifferences } from '../../gateway/extra.ts'
import { compileGlob } from '../../lib/glob.ts'
import { type Finding, nameOf, titleOf } from './drift.ts'

export interface Explained {
  /**
   * Findings that are not known differences. If only some of a finding's values are known, the finding lists
   * the others.
   */
  readonly findings: readonly Finding[]
  readonly explained: readonly KnownDifferences[]
  /** Names of known differences that were not found. */
  readonly unused: readonly string[]
}

interface Entry {
  /** Name of a finding in lower case, or a glob. */
  readonly name: string
  readonly reason: string
  /** Known values. Undefined if all values are known. */
  readonly values: ReadonlySet<string> | undefined
}

/** Separates known differences from all other findings. */
export function explain(findings: readonly Finding[], known: readonly KnownDifferences[]): Explained {
  const entries = known.flatMap(({ reason, findings: texts }) =>
    texts.flatMap((text) => entriesIn(text, reason)),
  )
  const matching = matcherOf(entries)
  const used = new Set<Entry>()
  const reasons = new Map<string, string[]>()
  const left = findings.flatMap((finding) => {
    const candidates = matching([titleOf(finding), nameOf(finding)].map((name) => name.toLowerCase()))
    const { values = [], message } = finding
    const explains = (entry: Entry, value: string) =>
      !entry.values || entry.values.has(value.replaceAll('"', ''))
    const applied = candidates.filter(
      (entry) => !entry.values || values.some((value) => explains(entry, value)),
    )
    const [first] = applied
    if (!first) return [finding]
    for (const entry of applied) used.add(entry)
    const unknown = values.filter((value) => !applied.some((entry) => explains(entry, value)))
    if (unknown.length > 0)
      return [
        { ...finding, values: unknown, message: message.replace(values.join(', '), unknown.join(', ')) },
      ]
    reasons.set(first.reason, [...(reasons.get(first.reason) ?? []), nameOf(finding)])
    return []
  })
  return {
    findings: left,
    explained: known.flatMap(({ reason }) => {
      const names = reasons.get(reason)
      return names ? [{ reason, findings: names }] : []
    }),
    unused: entries.filter((entry) => !used.has(entry)).map(({ name }) => name),
  }
}

/** Parses text such as `Model.{links,name} value-added: red, green` to an entry for each name in braces. */
function entriesIn(text: string, reason: string): Entry[] {
  const [names = '', list] = text.split(': ')
  const values = list === undefined ? undefined : new Set(list.split(', '))
  const [, before = names, inner = '', after = ''] = /^(.*)\{([^{}]+)\}(.*)$/.exec(names) ?? []
  return inner.split(',').map((name) => ({ name: (before + name + after).toLowerCase(), reason, values }))
}

function matcherOf(entries: readonly Entry[]): (names: readonly string[]) => Entry[] {
  const byName = new Map<string, Entry[]>()
  const globs: [(name: string) => boolean, Entry][] = []
  for (const entry of entries) {
    if (entry.name.includes('*')) globs.push([compileGlob(entry.name), entry])
    else byName.set(entry.name, [...(byName.get(entry.name) ?? []), entry])
  }
  return (names) => [
    ...names.flatMap((name) => byName.get(name) ?? []),
    ...globs.flatMap(([matches, entry]) => (names.some(matches) ? [entry] : [])),
  ]
}
