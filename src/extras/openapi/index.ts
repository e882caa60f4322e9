/** Mocks operations that an OpenAPI document describes and nothing else implements. */
import * as z from 'zod'
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { type OptionsInput, option } from '../../sandbox/option.ts'
import { readDocumentFile } from './document.ts'
import { documentOperations } from './document-operations.ts'

export type ParsedDocument = object
export const ParsedDocument = z.lazy(() =>
  z.custom<ParsedDocument>(
    (value) => typeof value === 'object' && value !== null,
    'Must be the path of a file, or a parsed OpenAPI document',
  ),
)

export const openapiOptions = {
  openapi: option(
    'OpenAPI 3 document with operations to mock. Other operations with the same method and path take precedence. In code, a file path (only in Node) or a parsed document.',
    () => z.union([z.string().min(1), ParsedDocument]),
    { flag: '--openapi <file>', isPath: true },
  ),
}
export interface OpenapiOptions extends OptionsInput<typeof openapiOptions> {}

export const openapi: ExtraDefinition<OpenapiOptions> = {
  name: 'openapi',
  options: openapiOptions,
  create({ openapi: source }) {
    if (source === undefined) return undefined
    return {
      operations(existing) {
        const root = typeof source === 'string' ? readDocumentFile(source) : source
        try {
          return documentOperations(root, existing)
        } catch (error) {
          const file = typeof source === 'string' ? `${source}: ` : ''
          throw new TypeError(`createGateway: options.openapi: ${file}${(error as Error).message}`)
        }
      },
    }
  },
}
