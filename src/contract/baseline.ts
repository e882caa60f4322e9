/**
 * Findings that a team knows of and accepts for a while: each with a reason, and a day on which it must be looked at
 * again.
 */
import * as z from 'zod'
import { compileGlob } from '../lib/glob.ts'
import { type Finding, nameOf } from './finding.ts'

export const Baseline = z.strictObject({
  accept: z.array(
    z.strictObject({
      finding: z
        .string()
        .min(1)
        .describe('The name of a finding as the report has it; * stands for any characters.'),
      reason: z.string().min(1),
      expires: z.iso.date().describe('The last day, 2026-12-31.'),
    }),
  ),
})
export type Baseline = z.infer<typeof Baseline>

export interface Accepted {
  readonly findings: readonly Finding[]
  readonly accepted: number
  /** Entries that have expired, or that nothing was found for. */
  readonly notes: readonly string[]
}

/** @param today `2026-01-31`. */
export function accept(findings: readonly Finding[], baseline: Baseline, today: string): Accepted {
  const entries = baseline.accept.map((entry) => ({ ...entry, matches: compileGlob(entry.finding), used: 0 }))
  const left = findings.filter((finding) => {
    const name = nameOf(finding).toLowerCase()
    const entry = entries.find(({ matches, expires }) => expires >= today && matches(name))
    if (entry) entry.used++
    return !entry
  })
  const notes = entries.flatMap(({ finding, expires, used }) => {
    if (expires < today) return [`'${finding}' was accepted until ${expires}`]
    return used === 0 ? [`'${finding}' is accepted, and not found any more`] : []
  })
  return { findings: left, accepted: findings.length - left.length, notes }
}
