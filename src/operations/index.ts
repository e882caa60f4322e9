/**
 * The only list of operations: what is on it is served, routed, documented and scriptable.
 */
import type * as z from 'zod'
import type { Operation } from '../operation.ts'
import { createResponse } from './create-response.ts'
import { getPreset } from './get-preset.ts'
import { listBenchmarks } from './list-benchmarks.ts'
import { listEmbeddingsModels } from './list-embeddings-models.ts'
import { listProviders } from './list-providers.ts'
import { updateWorkspace } from './update-workspace.ts'

const list = [
  listProviders,
  updateWorkspace,
  listEmbeddingsModels,
  listBenchmarks,
  getPreset,
  createResponse,
] as const

type Listed = (typeof list)[number]

/** `listProviders`, `updateWorkspace`, … */
export type OperationId = Listed['id']

/** Request bodies by operation id; `undefined` for those that take none. */
export type Bodies = {
  [Item in Listed as Item['id']]: Item extends { readonly body?: infer Body }
    ? Body extends z.ZodType
      ? // Where an operation says nothing of a body, it may be any schema.
        z.ZodType extends Body
        ? undefined
        : z.input<Body>
      : undefined
    : undefined
}

// Each operation is exact in its own types; the corridor, which checks before it calls, needs none of them.
export const operations = list as readonly unknown[] as readonly Operation[]
