/** Combines the core and the extras: gateway setup and public types. */
import { extras } from './extras/index.ts'
import { type AnyExtra, type BodiesOf, type OptionsOf, operationsOutside } from './gateway/extra.ts'
import { readDataFile } from './lib/data-file.ts'
import type { AnyOperation } from './operation.ts'
import { operations, type SpecifiedBodies } from './operations/index.ts'
import type { GatewayOptionsInput } from './sandbox/options.ts'

export const gatewaySetup = {
  extras: extras as readonly AnyExtra[],
  files: readDataFile,
}

/** The specification's operations, and the operations that extras add. */
export const everyOperation: readonly AnyOperation[] = [
  ...operations,
  ...operationsOutside(gatewaySetup.extras),
]

type ExtraOptions = OptionsOf<(typeof extras)[number]>

export interface GatewayOptions extends GatewayOptionsInput, ExtraOptions {}

type ExtraBodies = BodiesOf<(typeof extras)[number]>

/** Request bodies by operation id, including those outside the specification. `undefined` for operations without a body. */
export interface RequestBodies extends SpecifiedBodies, ExtraBodies {}

/** Operation ids: `listProviders`, `updateWorkspace`, … */
export type OperationId = keyof RequestBodies
