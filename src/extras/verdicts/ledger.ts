/** The matcher `toAgreeWithLedger`. */
import type { JournalEntry } from '../../journal/entry.ts'
import { dollars, type SandboxUsage } from '../../journal/ledger.ts'
import { assertInspectable, whenAll } from '../../journal/matchers.ts'
import { fieldsOf, isObject, parseJson } from '../../lib/json.ts'
import { readAt } from '../../lib/value-path.ts'
import { tokenCounts } from '../../resources/answer.ts'
import { assertNames } from '../../sandbox/sandbox-options.ts'
import { resultOf } from './findings.ts'
import { eventsIn, readReply } from './reading.ts'

const classes = [...tokenCounts, 'totalTokens', 'requests', 'costUsd'] as const
type Class = (typeof classes)[number]

/** An application's counts for all calls in a sandbox. The fields mean the same as in `sandbox.usage()`. */
export type CountedUsage = { readonly [Name in Class]?: number }

export function judgeLedger(received: unknown, counted: CountedUsage) {
  assertInspectable(received)
  assertNames(counted, classes, 'toAgreeWithLedger')
  const given = classes.filter((name) => name in counted)
  if (given.length === 0)
    throw new TypeError('toAgreeWithLedger() expects counts, such as { inputTokens: 12, costUsd: 0.01 }')
  const sandbox = received as typeof received & { usage(): SandboxUsage | Promise<SandboxUsage> }
  return whenAll([sandbox.usage(), sandbox.journal.entries()], ([total, entries]) => {
    const uncounted = entries.filter((entry) => entry.usage === null && usagesIn(entry).length > 0)
    const calls = plural(uncounted.length, 'call')
    if (uncounted.length > 0)
      throw new Error(`toAgreeWithLedger() cannot judge ${calls} answered by a recording, a body or frames`)
    const ledger: CountedUsage = { ...total, costUsd: total.cost }
    const differs = (name: Class, { [name]: change = 0 }: CountedUsage = {}) =>
      !(Math.abs((ledger[name] ?? 0) + change - (counted[name] ?? Number.NaN)) < 1e-9)
    const unexplained = (change: CountedUsage) => given.filter((name) => differs(name, change)).length
    const mistakes = mistakesIn(entries).sort(([, one], [, other]) => unexplained(one) - unexplained(other))
    const unpriced = total.unpriced > 0 ? `; ${plural(total.unpriced, 'call')} without a price` : ''
    const lines = given
      .filter((name) => differs(name))
      .map((name) => {
        const [mistake] = mistakes.find(([, change]) => !differs(name, change)) ?? []
        const sum = `expected ${ledger[name]}, received ${counted[name] && dollars(counted[name])}`
        const difference = name === 'costUsd' ? sum + unpriced : sum
        return `${name}: ${mistake ? `${mistake} (${difference})` : difference}`
      })
    const sending = entries.filter(({ delivery }) => /pending|held/.test(delivery)).length
    if (lines.length > 0 && sending > 0)
      lines.push(`${plural(sending, 'call')} in progress, whose usage may change`)
    const none = 'Expected the application to disagree with the ledger, but it agreed.'
    return resultOf(lines, entries, none, 'Expected the application to agree with the ledger')
  })
}

/** Returns common mistakes and how they change the counts. Cost is known only for mistakes that omit whole calls. */
function mistakesIn(entries: readonly JournalEntry[]): [text: string, change: CountedUsage][] {
  const calls = entries.flatMap((entry) => {
    const { ending } = readReply(entry)
    const { usage, delivery } = entry
    const isCut = /cut|error/.test(ending) || delivery.startsWith('aborted')
    const isIncomplete = ending === 'incomplete' && !isCut
    if (!usage) return []
    const lost = sumOf([{ ...usage, requests: 1, costUsd: usage.cost ?? 0 }], -1)
    return [{ lost, shown: usagesIn(entry), isCut, isIncomplete }]
  })
  const cut = calls.filter(({ isCut }) => isCut)
  const incomplete = calls.filter(({ isIncomplete }) => isIncomplete)
  const left = (some: typeof calls) => sumOf(some.map(({ lost }) => lost))
  const { requests: _, costUsd: __, ...tokensOfCut } = left(cut)
  const aborted = plural(cut.length, 'aborted answer')
  const unfinished = plural(incomplete.length, 'incomplete answer')
  const repeating = calls.filter(({ shown }) => shown.length > 1)
  const chunks = repeating.flatMap(({ shown }) => shown).length
  const cumulative = `counted the cumulative usage of ${chunks} chunks`
  const repeated = repeating.flatMap(({ shown, isCut }) => (isCut ? [] : shown.slice(0, -1)))
  const withCut = chunks > 0 ? [...repeated, ...cut.flatMap(({ shown }) => shown), tokensOfCut] : []
  const lastOfCut = cut.flatMap(({ shown }) => shown.slice(-1))
  const { cachedTokens, cacheWriteTokens, cacheWriteTokens1h, reasoningTokens } = sumOf([left(calls)], -1)
  const read = sumOf([{ inputTokens: cachedTokens }])
  const written = sumOf([{ inputTokens: cacheWriteTokens }])
  const notRead = sumOf([read, { cachedTokens }], -1)
  const notWritten = sumOf([written, { cacheWriteTokens, cacheWriteTokens1h }], -1)
  const reasoning = sumOf([{ outputTokens: reasoningTokens }])
  return [
    [cumulative, sumOf(repeated)],
    [cumulative, sumOf(withCut)],
    [`left out the usage of ${aborted}`, left(cut)],
    [`left out the output of ${aborted}`, sumOf([...lastOfCut, tokensOfCut])],
    [`left out the usage of ${unfinished}`, left(incomplete)],
    [`left out the usage of ${aborted} and ${unfinished}`, left([...cut, ...incomplete])],
    ['counted cached tokens twice', read],
    ['counted cache writes twice', written],
    ['counted cached tokens and cache writes twice', sumOf([read, written])],
    ['left out cached tokens', notRead],
    ['left out cache writes', notWritten],
    ['left out cached tokens and cache writes', sumOf([notRead, notWritten])],
    ['added reasoning tokens to the output, which contains them', reasoning],
    ['left out reasoning tokens', sumOf([reasoning, { reasoningTokens }], -1)],
  ]
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function sumOf(counts: readonly CountedUsage[], sign = 1): Required<CountedUsage> {
  const sum = (name: Class) => counts.reduce((all, each) => all + sign * (each[name] ?? 0), 0)
  const sums = Object.fromEntries(classes.map((name) => [name, sum(name)])) as Required<CountedUsage>
  return { ...sums, totalTokens: sums.inputTokens + sums.outputTokens }
}

/** Returns the usage that a reply, or each of its events, reports. */
function usagesIn({ responseBody: { text } }: JournalEntry): CountedUsage[] {
  const body = parseJson(text)
  const values = isObject(body) ? [fieldsOf(body)] : eventsIn(text)
  return values.flatMap(({ usage, response, message }) => {
    const reported = usage ?? fieldsOf(response)['usage'] ?? fieldsOf(message)['usage']
    const countAt = (path: string) => Number(readAt(reported, path.split('.')) ?? 0)
    const counts = Object.entries(reportedIn).map(([name, paths]) => {
      return [name, paths.split(' ').reduce((sum, path) => sum + countAt(path), 0)]
    })
    return isObject(reported) ? [Object.fromEntries(counts)] : []
  })
}

/** Paths in usage objects. The values at a field's paths are added up, because POST /messages uses several paths. */
const reportedIn = {
  inputTokens: 'input_tokens prompt_tokens cache_read_input_tokens cache_creation_input_tokens',
  cachedTokens:
    'input_tokens_details.cached_tokens prompt_tokens_details.cached_tokens cache_read_input_tokens',
  cacheWriteTokens: 'prompt_tokens_details.cache_write_tokens cache_creation_input_tokens',
  outputTokens: 'output_tokens completion_tokens',
  reasoningTokens: 'output_tokens_details.reasoning_tokens completion_tokens_details.reasoning_tokens',
}
