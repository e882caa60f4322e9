/**
 * Mocks operations that an OpenAPI document describes and nothing else implements.
 */
import * as z from 'zod'
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { readDocumentFile } from '../documents/document-file.ts'
import { DocumentError } from '../documents/openapi-document.ts'
import { type DocumentOperation, documentOperations } from './document-operations.ts'
import { documentRecords } from './records.ts'
import { withDocument } from './with-document.ts'

export interface OpenapiOptions {
  /**
   * OpenAPI 3 document whose operations are mocked, unless another operation has the same method and path: a parsed
   * document or, in Node, a file path. Default: none.
   */
  openapi?: string | object
}

export const openapi: ExtraDefinition<OpenapiOptions> = {
  name: 'openapi',
  options: {
    openapi: () =>
      z.union([
        z.string().min(1),
        z.custom<object>(
          (value) => typeof value === 'object' && value !== null,
          'Must be the path of a file, or a parsed OpenAPI document',
        ),
      ]),
  },
  paths: ['openapi'],
  flags: [
    {
      flags: '--openapi <file>',
      description: 'OpenAPI 3 document with additional operations to mock',
      group: 'Behaviour',
      ofDocument: 'add the operations of an OpenAPI 3 document',
    },
  ],
  create({ openapi: source }) {
    if (source === undefined) return undefined
    let operations: readonly DocumentOperation[] = []
    return {
      collections: [documentRecords],
      operations(existing) {
        try {
          const root = typeof source === 'string' ? readDocumentFile(source) : source
          operations = documentOperations(root, existing)
          return operations
        } catch (error) {
          const { message } = error as Error
          const file = error instanceof DocumentError && typeof source === 'string' ? `${source}: ` : ''
          throw new TypeError(`createGateway: options.openapi: ${file}${message}`)
        }
      },
      describe: (document) => withDocument(document, operations),
    }
  },
}
