/** Merges a mocked OpenAPI document's operations into Understudy's own document. */
import { upgrade } from '@scalar/openapi-upgrader'
import { shapeOf } from '../../operation.ts'
import { isJson, type Json, OpenApiDocument } from '../documents/openapi-document.ts'
import type { DocumentOperation } from './document-operations.ts'

const sections = ['schemas', 'responses', 'parameters', 'examples', 'requestBodies', 'headers', 'links']

/** Adds operations and their components. An added component whose name is taken gets a `Document` prefix. */
export function withDocument(ours: Json, added: readonly DocumentOperation[]): Json {
  const [first] = added
  if (!first) return ours
  const theirs = current(first.document)
  const byLine = new Map(theirs.operations().map((source) => [`${source.method} ${source.path}`, source]))
  const { components, names } = mergedComponents(at(ours, 'components'), at(theirs.root, 'components'))
  const paths: Record<string, Json> = { ...(ours['paths'] as Record<string, Json>) }
  const tags = new Set(added.map(({ doc }) => doc.tag))
  for (const each of added) {
    const source = byLine.get(`${each.method} ${each.source.path}`)
    if (!source) continue
    const path = Object.keys(paths).find((other) => shapeOf(other) === shapeOf(each.path)) ?? each.path
    const { security: _security, servers: _servers, ...operation } = source.operation
    const described = {
      ...operation,
      operationId: each.id,
      summary: each.doc.summary,
      tags: [each.doc.tag],
      parameters: parametersOf(theirs, [source.item['parameters'], operation['parameters']], each.path, path),
      responses: { default: { $ref: error }, ...at(operation, 'responses') },
    }
    paths[path] = { ...paths[path], [each.method]: renamed(described, names) }
  }
  for (const { name } of ours['tags'] as { name: string }[]) tags.delete(name)
  return {
    ...ours,
    tags: [...(ours['tags'] as object[]), ...[...tags].map((name) => ({ name }))],
    paths,
    components,
  }
}

const error = '#/components/responses/Error'

function current(document: OpenApiDocument): OpenApiDocument {
  const { root } = document
  if (!String(root['openapi']).startsWith('3.0')) return document
  return new OpenApiDocument(upgrade(root as Parameters<typeof upgrade>[0], '3.1'))
}

function at(value: Json, key: string): Json {
  const field = value[key]
  return isJson(field) ? field : {}
}

/** Returns the merged components, and the new names of renamed references. */
function mergedComponents(
  ours: Json,
  theirs: Json,
): { components: Json; names: ReadonlyMap<string, string> } {
  const names = new Map<string, string>()
  for (const section of sections)
    for (const name of Object.keys(at(theirs, section)))
      if (Object.hasOwn(at(ours, section), name))
        names.set(`#/components/${section}/${name}`, `#/components/${section}/Document${name}`)
  const components: Record<string, unknown> = { ...ours }
  for (const section of sections) {
    const added = Object.entries(at(theirs, section)).map(([name, value]) => [
      names.has(`#/components/${section}/${name}`) ? `Document${name}` : name,
      renamed(value, names),
    ])
    if (added.length > 0) components[section] = { ...at(ours, section), ...Object.fromEntries(added) }
  }
  return { components, names }
}

/** Replaces references to renamed components, including those in discriminator mappings. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): Json {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' && each.startsWith('#/') ? (names.get(each) ?? each) : each,
  )
}

/**
 * Merges the path item's and the operation's parameters. Path parameters are renamed as in `ours`, the path under
 * which the operation is added.
 */
function parametersOf(document: OpenApiDocument, lists: unknown[], theirs: string, ours: string): Json[] {
  const nameIn = (path: string) => Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name)
  const ourNames = nameIn(ours)
  const names = new Map(nameIn(theirs).map((name, index) => [name, ourNames[index]]))
  const merged = new Map<string, Json>()
  for (const declaration of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const parameter = document.resolve(declaration)
    if (!parameter) continue
    const name = parameter['in'] === 'path' ? names.get(String(parameter['name'])) : parameter['name']
    merged.set(`${parameter['in']} ${name}`, { ...parameter, name })
  }
  return [...merged.values()]
}
