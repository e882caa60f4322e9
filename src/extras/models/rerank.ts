/** Rerank: orders documents by the words they share with a query. */

import * as z from 'zod'
import { ok } from '../../http/reply.ts'
import { hash } from '../../lib/seed.ts'
import { callUsage, pricingOf, providersOf } from '../../model/catalogue.ts'
import { countTokens } from '../../model/tokens.ts'
import { defineOperation } from '../../operation.ts'
import { noTokens } from '../../resources/answer.ts'
import { list } from '../../resources/list.ts'

const Document = () => z.looseObject({ text: z.string().optional(), image: z.string().optional() })

/** Scores each document from 0 to 1. Rare words weigh more, and documents with equal scores keep their order. */
export const rerank = defineOperation({
  id: 'rerank',
  method: 'post',
  path: '/rerank',
  doc: { summary: 'Rank documents by their relevance to a query', tag: 'Rerank' },
  input: {
    body: z.lazy(() =>
      z.looseObject({
        model: z.string().min(1),
        query: z.string(),
        documents: list(z.union([z.string(), Document()])).min(1),
        top_n: z.int().min(1).optional(),
        provider: z.unknown().optional(),
        user: z.string().optional(),
        session_id: z.string().optional(),
        trace: z.unknown().optional(),
      }),
    ),
  },
  output: z.lazy(() =>
    z.object({
      id: z.string(),
      model: z.string(),
      provider: z.string(),
      results: z.array(z.strictObject({ index: z.int(), relevance_score: z.number(), document: Document() })),
      usage: z.strictObject({ cost: z.number(), search_units: z.int(), total_tokens: z.int() }),
    }),
  ),
  async resolve({ body, sandbox, requestKey, used }) {
    const { model, query, top_n } = body
    const documents = body.documents.map((each) => (typeof each === 'string' ? { text: each } : each))
    const texts = documents.map(({ text = '' }) => text)
    const scores = relevance(query, texts)
    const results = documents
      .map((document, index) => ({ index, relevance_score: scores[index] as number, document }))
      .sort((left, right) => right.relevance_score - left.relevance_score)
      .slice(0, top_n)
    const total_tokens = [query, ...texts].reduce((sum, text) => sum + countTokens(text), 0)
    const usage = callUsage(
      model,
      { ...noTokens, inputTokens: total_tokens },
      await pricingOf(model, sandbox.tables),
    )
    used(usage)
    const [provider] = await providersOf(model, sandbox.tables)
    return ok({
      id: `gen-rerank-${hash(requestKey, 'rerank')}`,
      model,
      provider: provider?.name ?? '',
      results,
      usage: { cost: usage.cost ?? 0, search_units: 1, total_tokens },
    })
  },
})

function relevance(query: string, texts: readonly string[]): number[] {
  const words = wordsOf(query)
  const sets = texts.map((text) => [...wordsOf(text)].filter((word) => words.has(word)))
  const counts = new Map([...words].map((word) => [word, 0]))
  for (const set of sets) for (const word of set) counts.set(word, Number(counts.get(word)) + 1)
  const weights = new Map(
    Array.from(counts, ([word, count]) => [word, Math.log(1 + texts.length / (1 + count))]),
  )
  const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0)
  return sets.map((set) => {
    const shared = set.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0)
    return total === 0 ? 0 : Math.round((shared / total) * 1e6) / 1e6
  })
}

function wordsOf(text: string): Set<string> {
  const words = new Set<string>()
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]{1,1000}/gu)) words.add(word)
  return words
}
