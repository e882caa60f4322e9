/** Verdicts: what an application did wrong when a gateway failed. */
import type { ExtraDefinition } from '../../gateway/extra.ts'

export const verdicts: ExtraDefinition = {
  name: 'verdicts',
  findings: async (facts) => (await import('./findings.ts')).findingsIn(facts),
}
