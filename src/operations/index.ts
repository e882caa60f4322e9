/**
 * The only list of operations: what is on it is served, routed, documented and scriptable.
 */
import type * as z from 'zod'
import type { Operation } from '../operation.ts'
import type { GatewayOptions } from '../sandbox/options.ts'
import { createResponse } from './create-response.ts'
import { extensions } from './extensions/index.ts'
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

/** Those of the specification, and every extension. */
export const everyOperation: readonly Operation[] = [...operations, ...Object.values(extensions).flat()]

/** What a gateway answers: the specification, the extensions that are on, and a person's own. */
export function operationsOf({ extensions: on, operations: own }: OperationOptions): readonly Operation[] {
  const all = [
    ...operations,
    ...on.flatMap((name) => extensions[name]),
    ...(own as readonly unknown[] as readonly Operation[]),
  ]
  if (all.length === operations.length) return operations
  for (const [place, { id, method, path }] of all.entries()) {
    const other = all.findIndex((each) => each.id === id || (each.method === method && each.path === path))
    if (other !== place)
      throw new TypeError(
        `createGateway: there is an operation '${id}', or ${method.toUpperCase()} ${path}, already`,
      )
  }
  return all
}

type OperationOptions = Pick<GatewayOptions, 'extensions' | 'operations'>
