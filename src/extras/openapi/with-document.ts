/**
 * Our own OpenAPI document with the operations that a gateway answers from another one.
 */
import { upgrade } from '@scalar/openapi-upgrader'
import { isJson, type Json, OpenApiDocument, shapeOf } from '../../http/openapi-document.ts'
import type { DocumentOperation } from './document-operations.ts'

const sections = ['schemas', 'responses', 'parameters', 'examples', 'requestBodies', 'headers', 'links']

/** The other document's components come along; one whose name is taken is called `Document…`. */
export function withDocument(ours: Json, added: readonly DocumentOperation[]): Json {
  const [first] = added
  if (!first) return ours
  const theirs = current(first.document)
  const known = new Map(theirs.operations().map((found) => [`${found.method} ${found.path}`, found]))
  const { components, names } = mergedComponents(at(ours, 'components'), at(theirs.root, 'components'))
  const paths: Record<string, Json> = { ...(ours['paths'] as Record<string, Json>) }
  const tags = new Set(added.map(({ doc }) => doc.tag))
  for (const each of added) {
    const found = known.get(`${each.method} ${each.found.path}`)
    if (!found) continue
    const path = Object.keys(paths).find((other) => shapeOf(other) === shapeOf(each.path)) ?? each.path
    const { security: _security, servers: _servers, ...operation } = found.operation
    const described = {
      ...operation,
      operationId: each.id,
      summary: each.doc.summary,
      tags: [each.doc.tag],
      parameters: parametersOf(theirs, [found.item['parameters'], operation['parameters']], each.path, path),
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
  const found = value[key]
  return isJson(found) ? found : {}
}

/** Ours and theirs, and the references that have to be changed for it. */
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
    const own = Object.entries(at(theirs, section)).map(([name, value]) => [
      names.has(`#/components/${section}/${name}`) ? `Document${name}` : name,
      renamed(value, names),
    ])
    if (own.length > 0) components[section] = { ...at(ours, section), ...Object.fromEntries(own) }
  }
  return { components, names }
}

/** With references that lead to what components are called here; also in the mapping of a discriminator. */
function renamed(value: unknown, names: ReadonlyMap<string, string>): Json {
  return JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' && each.startsWith('#/') ? (names.get(each) ?? each) : each,
  )
}

/** The parameters of the path item and of the operation; those in the path are called as the path calls them. */
function parametersOf(document: OpenApiDocument, lists: unknown[], theirs: string, ours: string): Json[] {
  const nameIn = (path: string) => Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => name)
  const own = nameIn(ours)
  const names = new Map(nameIn(theirs).map((name, place) => [name, own[place]]))
  const found = new Map<string, Json>()
  for (const given of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const parameter = document.resolve(given)
    if (!parameter) continue
    const name = parameter['in'] === 'path' ? names.get(String(parameter['name'])) : parameter['name']
    found.set(`${parameter['in']} ${name}`, { ...parameter, name })
  }
  return [...found.values()]
}
