/** OpenRouter's variant of the API: its names, its additional fields and its error messages. */
import * as z from 'zod'
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { openrouter as dialect } from './dialect.ts'

export interface OpenrouterOptions {
  /** Vendor whose names and fields requests and replies have. Default: the specification's names and fields. */
  dialect?: 'openrouter'
}

export const openrouter: ExtraDefinition<OpenrouterOptions> = {
  name: 'openrouter',
  options: { dialect: () => z.enum(['openrouter']) },
  flags: [
    {
      flags: '--dialect <name>',
      description: "use a vendor's names and extra fields in requests and replies: 'openrouter'",
      group: 'Behaviour',
    },
  ],
  create: ({ dialect: vendor }) => (vendor === undefined ? undefined : { dialect }),
}
