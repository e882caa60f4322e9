/**
 * Runs in the separate process: runs the measurement at the given URL and sends the figures back.
 */

import { type BenchFlags, toBench } from './measure.ts'
import type { SeparateModule } from './separate-process.ts'

const [, , module = '', flags = '{}'] = process.argv
const { measure } = (await import(module)) as SeparateModule
process.send?.(await measure(toBench(JSON.parse(flags) as BenchFlags)), () => process.exit())
