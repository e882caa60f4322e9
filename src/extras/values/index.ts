/** Plausible values for tool arguments and structured output, taken from the prompt if it names them. */
import type { ExtraDefinition } from '../../gateway/extra.ts'

export const values: ExtraDefinition = {
  name: 'values',
  create: () => ({ values: async () => (await import('./plausible.ts')).plausibleValues }),
}
