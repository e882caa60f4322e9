/** An OpenAPI document with everything that is hard to mock. */
const ok = (schema: object, extra: object = {}) => ({
  '200': { description: 'Done', content: { 'application/json': { schema, ...extra } } },
})
const get = (operationId: string, responses: object, rest: object = {}) => ({
  get: { operationId, responses, ...rest },
})
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

export const hardDocument = {
  openapi: '3.1.0',
  info: { title: 'Reports', version: '1' },
  servers: [{ url: 'https://{region}.vendor.example/api/v1', variables: { region: { default: 'eu' } } }],
  paths: {
    // Looks like a path, but is a specification extension.
    'x-later': { get: { operationId: 'later', responses: ok({}) } },
    '/api/v1/files': {
      get: {
        operationId: 'listFiles',
        summary: 'List files',
        tags: ['Files'],
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          { name: 'kind', in: 'query', schema: { type: 'array', items: { enum: ['text', 'image'] } } },
          { name: 'ids', in: 'query', explode: false, schema: { type: 'array', items: { type: 'integer' } } },
          {
            name: 'filter',
            in: 'query',
            style: 'deepObject',
            schema: {
              type: 'object',
              properties: { size: { type: 'integer' } },
              additionalProperties: false,
            },
          },
          { name: 'X-Trace', in: 'header', required: true, schema: { type: 'string', format: 'uuid' } },
        ],
        responses: ok({
          type: 'object',
          properties: { data: { type: 'array', items: ref('File'), minItems: 1 } },
          required: ['data'],
        }),
      },
      post: {
        operationId: 'uploadFile',
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: {
                type: 'object',
                required: ['file'],
                properties: { file: { type: 'string', format: 'binary' } },
              },
            },
          },
        },
        responses: {
          '201': {
            description: 'Made',
            headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
            content: { 'application/json': { schema: ref('File') } },
          },
        },
      },
    },
    '/files/{file-id}': {
      parameters: [{ name: 'file-id', in: 'path', required: true, schema: { type: 'string', minLength: 3 } }],
      get: { operationId: 'getFile', responses: ok(ref('File')) },
      delete: { operationId: 'deleteFile', responses: { '204': { description: 'Gone' } } },
    },
    '/files/{file-id}/content': get('readFile', {
      '200': { description: 'Bytes', content: { 'application/octet-stream': {} } },
    }),
    '/files/{id}/note.txt': get('readNote', {
      '200': { description: 'Text', content: { 'text/plain': { schema: { type: 'string', minLength: 4 } } } },
    }),
    '/files/recent': get('listRecentFiles', ok({ type: 'array', items: ref('File'), maxItems: 3 })),
    '/speech': {
      post: {
        responses: { '200': { description: 'Sound', content: { 'audio/*': {} } } },
        requestBody: {
          content: { 'application/x-www-form-urlencoded': { schema: ref('Speech') } },
          required: true,
        },
      },
    },
    '/jobs': {
      post: {
        operationId: 'startJob',
        requestBody: { required: true, content: { 'application/json': { schema: ref('Job') } } },
        responses: {
          '202': { description: 'Begun', content: { 'application/json': { schema: ref('Job') } } },
        },
      },
    },
    '/shapes': get('listShapes', ok({ type: 'array', items: ref('Shape'), minItems: 3 })),
    '/tree': get('getTree', ok(ref('Node'))),
    '/map': get('getMap', ok({ type: 'object', additionalProperties: ref('File'), minProperties: 2 })),
    '/formats': get('getFormats', ok(ref('Formats'))),
    '/example': get('getExample', ok(ref('Job'), { example: { kind: 'fast', label: 'As documented' } })),
    '/bad-example': get('getBadExample', ok(ref('Job'), { example: { kind: 'none' } })),
    '/default': get('getDefault', {
      default: { description: 'Whatever', content: { 'application/json': { schema: ref('File') } } },
    }),
    '/events': {
      post: {
        operationId: 'follow',
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: {
          '200': {
            description: 'Both forms',
            content: {
              'application/json': { schema: ref('Job') },
              'text/event-stream': { schema: { type: 'string' } },
            },
          },
        },
      },
    },
    '/points/{point}/{matrix}/{label}': get('getPoint', ok({ type: 'boolean' }), {
      parameters: [
        { name: 'point', in: 'path', required: true, schema: { type: 'array', items: { type: 'integer' } } },
        { name: 'matrix', in: 'path', required: true, style: 'matrix', schema: { type: 'integer' } },
        { name: 'label', in: 'path', required: true, style: 'label', schema: { type: 'boolean' } },
      ],
    }),
    // Built-in operations implement these two paths, the second with another parameter name.
    '/providers': get('vendorProviders', ok({ type: 'object' })),
    '/workspaces/{workspace_id}': {
      get: {
        operationId: 'getWorkspace',
        parameters: [{ name: 'workspace_id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: ok(ref('File')),
      },
      patch: { operationId: 'vendorPatch', responses: ok({ type: 'object' }) },
    },
  },
  components: {
    schemas: {
      File: {
        type: 'object',
        required: ['id', 'size', 'secret', 'note'],
        additionalProperties: false,
        properties: {
          id: { type: 'string', pattern: '^file-[a-z0-9]{6}$', readOnly: true },
          size: { type: 'integer', minimum: 1, exclusiveMaximum: 5000 },
          secret: { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] },
          note: { type: ['string', 'null'], maxLength: 20, example: 'A note' },
          parent: ref('Node'),
        },
      },
      Speech: {
        type: 'object',
        required: ['text', 'speed'],
        properties: { text: { type: 'string' }, speed: { type: 'number', maximum: 2 } },
      },
      Job: {
        type: 'object',
        required: ['kind', 'label'],
        properties: {
          kind: { enum: ['fast', 'slow'] },
          label: { type: 'string', minLength: 3 },
          steps: { type: 'array', items: { type: 'object', properties: { at: { type: 'integer' } } } },
        },
      },
      Base: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
      Circle: {
        allOf: [
          ref('Base'),
          {
            type: 'object',
            required: ['kind', 'radius'],
            properties: { kind: { type: 'string' }, radius: { type: 'number', exclusiveMinimum: 0 } },
          },
        ],
      },
      Square: {
        allOf: [
          ref('Base'),
          {
            type: 'object',
            required: ['kind', 'side'],
            properties: { kind: { type: 'string' }, side: { type: 'integer', multipleOf: 5, minimum: 5 } },
          },
        ],
      },
      Shape: {
        oneOf: [ref('Circle'), ref('Square')],
        discriminator: {
          propertyName: 'kind',
          mapping: { round: '#/components/schemas/Circle', Square: 'Square' },
        },
      },
      Node: {
        type: 'object',
        required: ['value', 'children'],
        properties: {
          value: { type: 'integer' },
          children: { type: 'array', items: ref('Node') },
          next: ref('Node'),
        },
      },
      Formats: {
        type: 'object',
        required: ['at', 'day', 'mail', 'host', 'v4', 'v6', 'url', 'uuid', 'span'],
        properties: {
          at: { type: 'string', format: 'date-time' },
          day: { type: 'string', format: 'date' },
          mail: { type: 'string', format: 'email' },
          host: { type: 'string', format: 'hostname' },
          v4: { type: 'string', format: 'ipv4' },
          v6: { type: 'string', format: 'ipv6' },
          url: { type: 'string', format: 'uri' },
          uuid: { type: 'string', format: 'uuid' },
          span: { type: 'string', format: 'duration' },
        },
      },
    },
  },
}
