/** OpenRouter's variant of the API: its names, its additional fields and its error messages. */
import * as z from 'zod'
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { type OptionsInput, option } from '../../sandbox/option.ts'
import { openrouter as dialect } from './dialect.ts'

export const openrouterOptions = {
  dialect: option(
    "`openrouter` turns on OpenRouter mode, with OpenRouter's names and fields in requests and replies. Default: none.",
    () => z.enum(['openrouter']),
    { flag: '--dialect <name>' },
  ),
}
export interface OpenrouterOptions extends OptionsInput<typeof openrouterOptions> {}

export const openrouter: ExtraDefinition<OpenrouterOptions> = {
  name: 'openrouter',
  options: openrouterOptions,
  create: ({ dialect: vendor }) => (vendor === undefined ? undefined : { dialect }),
}
