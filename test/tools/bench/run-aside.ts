/**
 * The process behind `aside`: runs the measurement that it is given by URL, and sends the figures back.
 */
import type { Aside } from './aside.ts'
import { type BenchFlags, toBench } from './measure.ts'

const [, , module = '', flags = '{}'] = process.argv
const { measure } = (await import(module)) as Aside
process.send?.(await measure(toBench(JSON.parse(flags) as BenchFlags)), () => process.exit())
