/** Tests the OpenAPI document of a gateway that mocks another document's operations. */
import { expect, it } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import { createGateway } from '../../../src/index.ts'
import { hardDocument } from './hard-document.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read documents of any shape
type Document = any

it("the API document includes active extensions and another document's operations, and resolves every reference", () => {
  const gateway = createGateway({ extensions: ['chat'], openapi: hardDocument })
  const document = JSON.parse(JSON.stringify(apiDocument(gateway)))
  expect(document.paths['/chat/completions'].post.operationId).toBe('createChatCompletion')
  expect(document.paths['/files'].get.operationId).toBe('listFiles')
  expect(document.paths['/providers'].get.operationId).toBe('listProviders')
  // The documents share one path, which keeps Understudy's parameter name.
  expect(Object.keys(document.paths['/workspaces/{id}']).sort()).toEqual(['get', 'patch'])
  expect(document.paths['/workspaces/{id}'].get.parameters[0].name).toBe('id')
  const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/g)
  for (const [, path = ''] of references) {
    const target = path.split('/').reduce((value, key) => value?.[key.replaceAll('~1', '/')], document)
    expect(target, path).toBeDefined()
  }
})

it('the API document includes components of another document, and renames those whose name is taken', () => {
  const schema = (more: object) => ({ type: 'object', ...more })
  const json = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  const path = '/workspaces/{workspace}/notes/{note}'
  const gateway = createGateway({
    openapi: {
      openapi: '3.0.3',
      paths: {
        '/tides': { get: { tags: ['Presets'], responses: {} } },
        [path]: {
          parameters: [{ name: 'workspace', in: 'path', required: true, schema: { type: 'string' } }],
          get: {
            operationId: 'readNote',
            security: [],
            parameters: [
              { name: 'note', in: 'path', required: true, schema: { type: 'string' } },
              { name: 'deep', in: 'query', schema: { type: 'boolean' } },
            ],
            responses: {
              200: { description: 'A note', ...json('Note') },
              404: { description: 'None', ...json('Workspace') },
            },
          },
        },
      },
      components: {
        headers: { Tide: { schema: { type: 'string' } } },
        schemas: {
          Note: schema({
            properties: { of: { $ref: '#/components/schemas/Workspace' } },
            discriminator: { propertyName: 'kind', mapping: { own: '#/components/schemas/Workspace' } },
          }),
          Workspace: schema({ properties: { notes: { type: 'integer', nullable: true } } }),
        },
      },
    },
  })
  const merged: Document = apiDocument(gateway)
  const api: Document = apiDocument()
  const { Note, DocumentWorkspace, DocumentNote, Workspace } = merged.components.schemas
  expect(Note.properties.of).toEqual({ $ref: '#/components/schemas/DocumentWorkspace' })
  expect(Note.discriminator.mapping).toEqual({ own: '#/components/schemas/DocumentWorkspace' })
  expect(DocumentWorkspace.properties).toEqual({ notes: { type: ['integer', 'null'] } })
  expect(DocumentNote).toBeUndefined()
  expect(Workspace).toEqual(api.components.schemas.Workspace)
  const { get } = merged.paths[path]
  expect(get).not.toHaveProperty('security')
  expect(get.parameters.map((each: Document) => [each.in, each.name])).toEqual([
    ['path', 'workspace'],
    ['path', 'note'],
    ['query', 'deep'],
  ])
  expect(get.responses[404].content['application/json'].schema.$ref).toBe(
    '#/components/schemas/DocumentWorkspace',
  )
  expect(get.responses[200].content['application/json'].schema.$ref).toBe('#/components/schemas/Note')
  expect(get.responses.default).toEqual({ $ref: '#/components/responses/Error' })
  expect(Object.keys(merged.paths)).toEqual([...Object.keys(api.paths), '/tides', path])
  expect(merged.components.headers).toEqual({
    ...api.components.headers,
    Tide: { schema: { type: 'string' } },
  })
  expect(Object.keys(merged.components)).toEqual(Object.keys(api.components))
  expect([merged.paths['/tides'].get.tags, get.tags]).toEqual([['Presets'], ['Document']])
  expect([merged.paths['/tides'].get.summary, get.summary]).toEqual(['getTides', 'readNote'])
  expect(merged.tags).toEqual([...api.tags, { name: 'Document' }])
})
