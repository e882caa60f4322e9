/**
 * An OpenAPI document whose operations create, list, read, change and delete records in several forms.
 */
const json = (schema: object) => ({ 'application/json': { schema } })
const answer = (status: number, schema: object) => ({
  [status]: { description: 'Done', content: json(schema) },
})
const body = (schema: object) => ({ required: true, content: json(schema) })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const path = (name: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'path',
  required: true,
  schema,
})
const query = (name: string, schema: object) => ({ name, in: 'query', schema })
const integer = { type: 'integer' }
const text = { type: 'string' }
const wrapped = (name: string) => ({ type: 'object', required: ['data'], properties: { data: ref(name) } })

export const recordsDocument = {
  openapi: '3.1.0',
  info: { title: 'Records', version: '1' },
  paths: {
    // Records in an envelope, with offset and limit.
    '/projects': {
      get: {
        operationId: 'listProjects',
        parameters: [
          query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 3 }),
          query('offset', { type: 'integer', minimum: 0 }),
          query('status', text),
        ],
        responses: answer(200, {
          type: 'object',
          required: ['data', 'total_count'],
          properties: { data: { type: 'array', items: ref('Project') }, total_count: integer },
        }),
      },
      post: {
        operationId: 'createProject',
        requestBody: body({
          type: 'object',
          required: ['name'],
          properties: { name: text, status: text, secret: text, budget: { type: 'number' } },
        }),
        responses: answer(201, wrapped('Project')),
      },
    },
    '/projects/{project_id}': {
      parameters: [path('project_id')],
      get: { operationId: 'getProject', responses: answer(200, wrapped('Project')) },
      patch: {
        operationId: 'updateProject',
        requestBody: body({ type: 'object' }),
        responses: answer(200, wrapped('Project')),
      },
      delete: {
        operationId: 'deleteProject',
        responses: answer(200, {
          type: 'object',
          required: ['deleted', 'id'],
          properties: { deleted: { type: 'boolean' }, id: text },
        }),
      },
    },
    '/projects/{project_id}/archive': {
      post: {
        operationId: 'archiveProject',
        parameters: [path('project_id')],
        responses: answer(200, wrapped('Project')),
      },
    },
    // Records under another record, with numbers as keys, as a plain list with page numbers.
    '/projects/{project_id}/tasks': {
      parameters: [path('project_id')],
      get: {
        operationId: 'listTasks',
        parameters: [query('page', integer), query('per_page', integer)],
        responses: answer(200, { type: 'array', items: ref('Task') }),
      },
      post: {
        operationId: 'createTask',
        requestBody: body(ref('Task')),
        responses: answer(201, ref('Task')),
      },
    },
    '/projects/{project_id}/tasks/{taskId}': {
      parameters: [path('project_id'), path('taskId', integer)],
      get: { operationId: 'getTask', responses: answer(200, ref('Task')) },
      put: {
        operationId: 'replaceTask',
        requestBody: body(ref('Task')),
        responses: answer(200, ref('Task')),
      },
      delete: { operationId: 'deleteTask', responses: { 204: { description: 'Gone' } } },
    },
    // Records created by PUT, with a natural key and a cursor.
    '/labels': {
      get: {
        operationId: 'listLabels',
        parameters: [query('after', text), query('limit', integer)],
        responses: answer(200, {
          type: 'object',
          required: ['items', 'has_more', 'next_cursor'],
          properties: {
            items: { type: 'array', items: ref('Label'), maxItems: 1000 },
            has_more: { type: 'boolean' },
            next_cursor: { type: ['string', 'null'] },
          },
        }),
      },
    },
    '/labels/{name}': {
      parameters: [path('name')],
      get: { operationId: 'getLabel', responses: answer(200, ref('Label')) },
      put: {
        operationId: 'putLabel',
        requestBody: body({ type: 'object', properties: { color: text } }),
        responses: answer(200, ref('Label')),
      },
    },
    // Records that no operation creates.
    '/reports/{id}': {
      parameters: [path('id')],
      get: {
        operationId: 'getReport',
        responses: answer(200, {
          type: 'object',
          required: ['id', 'rows'],
          properties: { id: text, rows: integer },
        }),
      },
    },
    // A sample whose fields repeat path parameters, with a generic parameter before the last one.
    '/reports/{id}/rows/{row_id}': {
      get: {
        operationId: 'getRow',
        parameters: [path('id'), path('row_id', integer)],
        responses: answer(200, {
          type: 'object',
          required: ['id', 'row_id', 'report_id', 'cells'],
          properties: {
            id: { const: 'cell' },
            row_id: integer,
            report_id: text,
            cells: {
              type: 'array',
              minItems: 1,
              maxItems: 1,
              items: {
                type: 'object',
                required: ['rowId', 'reportId'],
                properties: { rowId: text, reportId: { type: 'object' } },
              },
            },
          },
        }),
      },
    },
  },
  components: {
    schemas: {
      Project: {
        type: 'object',
        required: ['id', 'name', 'status', 'created_at'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', format: 'uuid', example: '0b0e0f0a-1111-4222-8333-444455556666' },
          name: text,
          status: { enum: ['open', 'done'] },
          budget: { type: ['integer', 'null'] },
          created_at: { type: 'string', format: 'date-time' },
          updated_at: { type: ['string', 'null'], format: 'date-time', example: null },
        },
      },
      Task: {
        type: 'object',
        required: ['title'],
        properties: {
          id: { ...integer, readOnly: true },
          project_id: { ...text, readOnly: true },
          title: text,
          done: { type: 'boolean' },
        },
      },
      Label: {
        type: 'object',
        required: ['id', 'name', 'color', 'created', 'updated', 'modified_at'],
        properties: {
          id: integer,
          name: text,
          color: text,
          created: { type: 'string', format: 'date' },
          updated: { type: 'integer', minimum: 1_000_000_000 },
          modified_at: { type: 'integer', minimum: 1_000_000_000_000 },
        },
      },
    },
  },
}
