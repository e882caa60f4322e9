/** Describes an application with planted defects. */
import type { Fault, Sandbox } from '../../../../src/index.ts'
import type { FindingName, SweepVerdict } from '../../../../src/verdicts.ts'

export interface App {
  readonly name: string
  /** Sets up the replies of the run without faults: texts, scripts with tool calls, structured output. */
  setUp(sandbox: Sandbox): void
  /** Runs the application once. Without a defect it is hardened: it survives or reports every failure honestly. */
  run(target: Target, defect?: string): Promise<unknown>
  readonly defects: Readonly<Record<string, Planted>>
  /** True for a result that the application itself marks as incomplete. Default: never. */
  isPartial?(result: unknown): boolean
}

export interface Target {
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch: typeof fetch
  readonly signal?: AbortSignal
}

/**
 * The way a defect shows: under `fault`, as `sandbox.use` takes it, which acts once, on call number `call` (default:
 * 1), as this finding or as this verdict of a sweep.
 */
export interface Planted {
  readonly fault: Fault | readonly Fault[]
  readonly call?: number
  readonly finding?: FindingName
  readonly verdict?: SweepVerdict
  readonly userAborts?: boolean
}

export const status = (status: number) => ({ name: 'status' as const, status })

export const slow = { name: 'slow-stream' as const, perToken: 60 }
