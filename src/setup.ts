/** The extras and the file reader that every entry gives its gateways. */
import { extras } from './extras/index.ts'
import type { AnyExtra } from './gateway/extra.ts'
import { readDataFile } from './lib/data-file.ts'

export const gatewaySetup = {
  extras: extras as readonly AnyExtra[],
  files: readDataFile,
}
