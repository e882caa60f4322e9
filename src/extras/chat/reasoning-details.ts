/** Converts reasoning to `reasoning_details`, in the kinds and formats found in recorded OpenRouter replies. */
import * as z from 'zod'
import { hash } from '../../lib/seed.ts'
import { tokenize } from '../../model/tokens.ts'
import type { ReasoningItem } from '../../resources/answer.ts'

export const ReasoningDetail = z.lazy(() => {
  const head = { format: z.string(), index: z.int() }
  return z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('reasoning.text'),
      text: z.string().optional(),
      signature: z.string().nullable(),
      ...head,
    }),
    z.strictObject({ type: z.literal('reasoning.summary'), summary: z.string(), ...head }),
    z.strictObject({
      type: z.literal('reasoning.encrypted'),
      data: z.string(),
      id: z.string(),
      ...head,
    }),
  ])
})
export type ReasoningDetail = z.infer<typeof ReasoningDetail>

/** The format of each vendor's models, and whether their reasoning is encrypted or signed. */
const formats = new Map<string | undefined, readonly [format: string, seal: 'encrypted' | 'signed']>([
  ['openai', ['openai-responses-v1', 'encrypted']],
  ['x-ai', ['xai-responses-v1', 'encrypted']],
  ['anthropic', ['anthropic-claude-v1', 'signed']],
  ['google', ['google-gemini-v1', 'signed']],
])

/** @param index Zero-based index among the message's reasoning items. */
export function toReasoningDetails(
  { id, summary, content, encrypted, fields = {} }: ReasoningItem,
  index: number,
  model: string,
  key: string,
): ReasoningDetail[] {
  const [usualFormat, seal] = formats.get(model.split('/')[0]) ?? ['unknown']
  const own = (name: string) => (typeof fields[name] === 'string' ? fields[name] : undefined)
  const head = { format: own('format') ?? usualFormat, index }
  const signature = own('signature') ?? (seal === 'signed' ? hash(key, 'signature', index) : null)
  const data = encrypted === undefined && seal === 'encrypted' ? hash(key, 'encrypted', index) : encrypted
  const isSummary = seal === 'encrypted' || data != null || content.length > 0
  const text = (isSummary ? content : summary).join('\n\n')
  const details: ReasoningDetail[] = []
  if (text !== '') details.push({ type: 'reasoning.text', text, signature, ...head })
  else if (own('signature') !== undefined) details.push({ type: 'reasoning.text', signature, ...head })
  if (isSummary && summary.length > 0)
    details.push({ type: 'reasoning.summary', summary: summary.join('\n\n'), ...head })
  if (data != null)
    details.push({
      type: 'reasoning.encrypted',
      data,
      id: id ?? `rs_${hash(key, 'reasoning', index)}`,
      ...head,
    })
  return details
}

/** Yields a message's reasoning as deltas, one per token. `reasoning` is the item's text or, if empty, its summary. */
export function* reasoningDeltas(details: readonly ReasoningDetail[]): Generator<object> {
  let shownIndex: number | undefined
  for (const detail of details) {
    const text = 'text' in detail ? detail.text : 'summary' in detail ? detail.summary : undefined
    if (text === undefined || detail.index === shownIndex) {
      yield { reasoning: null, reasoning_details: [detail] }
      continue
    }
    if (shownIndex !== undefined) yield { reasoning: '\n\n' }
    shownIndex = detail.index
    const { type, format, index } = detail
    const head = { type, format, index }
    for (const token of tokenize(text))
      yield { reasoning: token, reasoning_details: [{ ...head, [type.slice('reasoning.'.length)]: token }] }
    if ('signature' in detail && detail.signature !== null)
      yield { reasoning: null, reasoning_details: [{ ...head, signature: detail.signature }] }
  }
}
