/**
 * The only list of operations: what is on it is served, routed, documented and scriptable.
 */

import type { Operation } from '../operation.ts'
import type { GatewayOptions } from '../sandbox/options.ts'
import { createResponse } from './create-response.ts'
import { readDocumentFile } from './document/document-file.ts'
import { documentOperations } from './document/document-operations.ts'
import { DocumentError } from './document/openapi-document.ts'
import { extensions } from './extensions/index.ts'
import { getPreset } from './get-preset.ts'
import { listBenchmarks } from './list-benchmarks.ts'
import { listEmbeddingsModels } from './list-embeddings-models.ts'
import { listProviders } from './list-providers.ts'
import { ownOperation } from './own-operation.ts'
import type { Bodies } from './request-bodies.ts'
import { updateWorkspace } from './update-workspace.ts'

const list = [
  listProviders,
  updateWorkspace,
  listEmbeddingsModels,
  listBenchmarks,
  getPreset,
  createResponse,
] as const

/** `listProviders`, `updateWorkspace`, … */
export type OperationId = keyof Bodies

// Each operation is exact in its own types; the corridor, which checks before it calls, needs none of them.
export const operations = list as readonly unknown[] as readonly Operation[]

/** Those of the specification, and every extension. */
export const everyOperation: readonly Operation[] = [...operations, ...Object.values(extensions).flat()]

/** What a gateway answers: the specification, the extensions that are on, a person's own, and what a document adds. */
export function operationsOf({
  extensions: on,
  operations: own,
  openapi,
}: OperationOptions): readonly Operation[] {
  const known = [...operations, ...on.flatMap((name) => extensions[name])]
  for (const each of own) known.push(ownOperation(each, known))
  if (openapi !== undefined) known.push(...fromDocument(openapi, known))
  return known.length === operations.length ? operations : known
}

type OperationOptions = Pick<GatewayOptions, 'extensions' | 'operations' | 'openapi'>

function fromDocument(given: string | object, known: readonly Operation[]): readonly Operation[] {
  try {
    return documentOperations(typeof given === 'string' ? readDocumentFile(given) : given, known)
  } catch (error) {
    const { message } = error as Error
    const file = error instanceof DocumentError && typeof given === 'string' ? `${given}: ` : ''
    throw new TypeError(`createGateway: openapi: ${file}${message}`)
  }
}
