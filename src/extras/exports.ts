/**
 * Exports the extras' public types and functions.
 */
import type { OptionsOf } from '../gateway/extra.ts'
import type { GatewayOptionsInput } from '../sandbox/options-input.ts'
import type { extras } from './index.ts'

type ExtraOptions = OptionsOf<(typeof extras)[number]>

/** Options of the core and all extras. */
export interface GatewayOptions extends GatewayOptionsInput, ExtraOptions {}

export { parseRecording, type Recording } from './recordings/index.ts'
