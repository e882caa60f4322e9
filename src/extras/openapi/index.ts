/**
 * OpenAPI documents: operations that nothing else implements respond as a document describes them.
 */
import * as z from 'zod'
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { readDocumentFile } from '../../http/document-file.ts'
import { DocumentError } from '../../http/openapi-document.ts'
import { type DocumentOperation, documentOperations } from './document-operations.ts'
import { withDocument } from './with-document.ts'

export interface OpenapiOptions {
  /**
   * An OpenAPI 3 document, parsed, or in Node the path of one: what it describes and nothing else answers is answered
   * from it. Default: none.
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
          'Must be a file, or a parsed OpenAPI document',
        ),
      ]),
  },
  paths: ['openapi'],
  flags: [
    {
      flags: '--openapi <file>',
      description: 'OpenAPI 3 document whose operations are mocked too',
      group: 'Behaviour',
      ofDocument: 'add the operations of an OpenAPI 3 document',
    },
  ],
  create({ openapi: given }) {
    if (given === undefined) return undefined
    let own: readonly DocumentOperation[] = []
    return {
      operations(known) {
        try {
          own = documentOperations(typeof given === 'string' ? readDocumentFile(given) : given, known)
          return own
        } catch (error) {
          const { message } = error as Error
          const file = error instanceof DocumentError && typeof given === 'string' ? `${given}: ` : ''
          throw new TypeError(`createGateway: openapi: ${file}${message}`)
        }
      },
      describe: (document) => withDocument(document, own),
    }
  },
}
