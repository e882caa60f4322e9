/**
 * Reading what a document describes, where references may lead nowhere.
 */
import { GatewayError } from '../../http/errors.ts'
import { isJson, type Json, type OpenApiDocument } from '../../http/openapi-document.ts'
import { LostReference } from '../../model/json-schema/schema.ts'

/** As `document.resolve`, for what an operation cannot do without. Throws for a reference that leads nowhere. */
export function follow(document: OpenApiDocument, value: unknown): Json | undefined {
  const target = document.resolve(value)
  const reference = isJson(value) ? value['$ref'] : undefined
  if (target === undefined && typeof reference === 'string') throw new LostReference(reference)
  return target
}

/** What `read` gives. Throws 501 in one clear line for a reference that leads nowhere. */
export function reading<Part>(read: () => Part): Part {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof LostReference)) throw error
    const { reference } = error
    const message = reference.startsWith('#')
      ? `The OpenAPI document refers to '${reference}', and has nothing there`
      : `'${reference}' lies outside of the OpenAPI document: bundle it into one file`
    throw new GatewayError(501, message, undefined, { assumption: 'document' })
  }
}
