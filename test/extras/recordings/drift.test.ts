/**
 * Tests that drift finds every planted change with its severity, and none between Understudy and itself.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import { readDocument } from '../../../src/extras/recordings/documents.ts'
import { accept, type Finding, findDrift, nameOf } from '../../../src/extras/recordings/drift.ts'
import { grouped, toSarif } from '../../../src/extras/recordings/drift-report.ts'
import { describeMock, type MockDescription } from '../../../src/extras/recordings/observe.ts'
import { bodyOf, type Recording, toChunk } from '../../../src/extras/recordings/recording.ts'
import type { GatewayCore } from '../../../src/gateway/gateway.ts'
import { createGateway } from '../../../src/index.ts'
import { cases } from '../../suite-size.ts'
import { type Ask, randomAsks, recordingsOfMock } from './mock-recordings.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents and bodies are changed in every place
type Any = any
type Severity = 'breaking' | 'additive' | 'info'

let mock: MockDescription
beforeAll(async () => {
  // The gateway's public type hides the operations.
  mock = await describeMock(createGateway() as unknown as GatewayCore)
})

const ownDocument = (): Any => JSON.parse(JSON.stringify(apiDocument()))
const schemas = (document: Any) => document.components.schemas
const content = (document: Any, path: string, method = 'get') =>
  document.paths[path][method].responses['200'].content['application/json']
const body = (document: Any) =>
  document.paths['/workspaces/{id}'].patch.requestBody.content['application/json'].schema

/** Resolves a schema that can be a reference. */
const follow = (document: Any, schema: Any): Any =>
  schema.$ref ? schemas(document)[schema.$ref.split('/').at(-1)] : schema
/** Returns a schema. Replaces a reference with a copy, which can be changed without affecting other operations. */
const own = (document: Any, place: Any, name: string): Any => {
  place[name] = place[name].$ref ? structuredClone(follow(document, place[name])) : place[name]
  return place[name]
}
const item = (document: Any, path: string) =>
  own(document, own(document, content(document, path), 'schema').properties.data, 'items')
const provider = (document: Any) => item(document, '/providers')
const model = (document: Any) => item(document, '/embeddings/models')
const request = (document: Any) => follow(document, body(document))
const parameters = (document: Any) => document.paths['/benchmarks'].get.parameters
const parameter = (document: Any, name: string) =>
  parameters(document).find((each: Any) => each.name === name)
const response = (document: Any) => own(document, content(document, '/responses', 'post'), 'schema')
const drop = (list: unknown[], name: unknown) => list.splice(list.indexOf(name), 1)
const events = (document: Any) => schemas(document).ResponseStreamEvent
const event = (document: Any, type: string) =>
  events(document).oneOf.find((each: Any) => each.properties.type.const === type)
const ping = { type: 'object', required: ['type'] }

const inDocument: [string, Severity, (document: Any) => void][] = [
  [
    'a required field of a reply is removed',
    'breaking',
    (d) => {
      delete provider(d).properties.slug
      drop(provider(d).required, 'slug')
    },
  ],
  [
    'a required field of a reply becomes optional',
    'breaking',
    (d) => void drop(provider(d).required, 'name'),
  ],
  [
    'a field of a reply becomes nullable',
    'breaking',
    (d) => {
      provider(d).properties.name = { type: ['string', 'null'] }
    },
  ],
  [
    'the type of a reply field changes',
    'breaking',
    (d) => {
      provider(d).properties.name = { type: 'integer' }
    },
  ],
  [
    'an integer in a reply becomes a number',
    'breaking',
    (d) => {
      model(d).properties.created = { type: 'number' }
    },
  ],
  [
    'a field of a reply gets an additional type',
    'breaking',
    (d) => {
      model(d).properties.id = { anyOf: [{ type: 'string' }, { type: 'object', properties: {} }] }
    },
  ],
  [
    'a reply gets a new optional field',
    'additive',
    (d) => {
      provider(d).properties.country = { type: 'string' }
    },
  ],
  [
    'a reply gets a new required field',
    'additive',
    (d) => {
      provider(d).properties.country = { type: 'string' }
      provider(d).required.push('country')
    },
  ],
  [
    'a nested object in a reply gets a new field',
    'additive',
    (d) => {
      follow(d, model(d).properties.top_provider).properties.region = { type: 'string' }
    },
  ],
  [
    'an enum in a reply gets a new value',
    'additive',
    (d) => void response(d).properties.status.enum.push('paused'),
  ],
  [
    'an enum in a reply loses a value',
    'info',
    (d) => void drop(response(d).properties.status.enum, 'queued'),
  ],
  [
    'an enum in a reply becomes a string',
    'additive',
    (d) => {
      response(d).properties.status = { type: 'string' }
    },
  ],
  [
    'a nullable field of a reply becomes non-nullable',
    'info',
    (d) => {
      provider(d).properties.privacy_policy_url = { type: 'string' }
    },
  ],
  [
    'a union gets a new member',
    'additive',
    (d) => {
      const items = response(d).properties.output.items
      const union = follow(d, items)
      const list = union.oneOf ?? union.anyOf
      list.push({
        type: 'object',
        properties: { type: { const: 'reasoning_x' }, id: { type: 'string' } },
        required: ['type', 'id'],
      })
    },
  ],
  ['an operation is removed', 'breaking', (d) => void delete d.paths['/benchmarks']],
  [
    'the method of an operation changes',
    'breaking',
    (d) => {
      d.paths['/workspaces/{id}'].put = d.paths['/workspaces/{id}'].patch
      delete d.paths['/workspaces/{id}'].patch
    },
  ],
  [
    'an operation is added',
    'additive',
    (d) => {
      d.paths['/credits'] = { get: { operationId: 'getCredits', responses: {} } }
    },
  ],
  [
    'the status of a reply changes',
    'breaking',
    (d) => {
      const { responses } = d.paths['/providers'].get
      responses['206'] = responses['200']
      delete responses['200']
    },
  ],
  [
    'an operation gets an additional success status',
    'additive',
    (d) => {
      const { responses } = d.paths['/providers'].get
      responses['202'] = responses['200']
    },
  ],
  [
    'the media type of a reply changes',
    'breaking',
    (d) => {
      const content = d.paths['/providers'].get.responses['200'].content
      content['application/xml'] = content['application/json']
      delete content['application/json']
    },
  ],
  [
    'a field of a request becomes required',
    'breaking',
    (d) => {
      request(d).required = ['name']
    },
  ],
  [
    'a request gets a new field',
    'additive',
    (d) => {
      request(d).properties.colour = { type: 'string' }
    },
  ],
  [
    'a request gets a new required field',
    'breaking',
    (d) => {
      request(d).properties.colour = { type: 'string' }
      request(d).required = ['colour']
    },
  ],
  [
    'a field of a request is removed',
    'breaking',
    (d) => {
      delete request(d).properties.slug
      request(d).additionalProperties = false
    },
  ],
  [
    'the maximum length in a request decreases',
    'breaking',
    (d) => {
      request(d).properties.name.maxLength = 50
    },
  ],
  [
    'the maximum length in a request increases',
    'additive',
    (d) => {
      request(d).properties.name.maxLength = 500
    },
  ],
  [
    'a pattern in a request changes',
    'breaking',
    (d) => {
      request(d).properties.slug.pattern = '^[a-z]+$'
    },
  ],
  [
    'a parameter is added',
    'additive',
    (d) => void parameters(d).push({ name: 'page', in: 'query', schema: { type: 'integer' } }),
  ],
  [
    'a required parameter is added',
    'breaking',
    (d) =>
      void parameters(d).push({ name: 'page', in: 'query', required: true, schema: { type: 'integer' } }),
  ],
  [
    'a parameter is removed',
    'breaking',
    (d) => void parameters(d).splice(parameters(d).indexOf(parameter(d, 'arena')), 1),
  ],
  ['a parameter gets a new value', 'additive', (d) => void parameter(d, 'arena').schema.enum.push('robots')],
  ['a parameter loses a value', 'breaking', (d) => void drop(parameter(d, 'arena').schema.enum, 'agents')],
  [
    'a parameter becomes required',
    'breaking',
    (d) => {
      parameter(d, 'source').required = true
    },
  ],
  ['an event is removed', 'breaking', (d) => void drop(events(d).oneOf, events(d).oneOf[0])],
  [
    'an event is added',
    'additive',
    (d) => void events(d).oneOf.push({ ...ping, properties: { type: { const: 'response.ping' } } }),
  ],
  [
    'a field of an event is removed',
    'breaking',
    (d) => {
      delete event(d, 'response.output_text.delta').properties.delta
    },
  ],
  [
    'the type of a field of an event changes',
    'breaking',
    (d) => {
      event(d, 'response.output_text.done').properties.text = { type: 'integer' }
    },
  ],
  [
    'a field of an event becomes optional',
    'breaking',
    (d) => void drop(event(d, 'response.output_text.delta').required, 'delta'),
  ],
  [
    'an event gets a field',
    'additive',
    (d) => {
      event(d, 'response.output_text.delta').properties.speed = { type: 'number' }
    },
  ],
  [
    'events are described by the schema of the stream',
    'breaking',
    (d) => {
      const stream = d.paths['/responses'].post.responses['200'].content['text/event-stream']
      stream.schema = { type: 'object', properties: { data: { oneOf: events(d).oneOf.slice(1) } } }
      delete stream['x-event-schema']
    },
  ],
  [
    'the authentication of all operations changes',
    'breaking',
    (d) => {
      d.components.securitySchemes.bearer = { type: 'apiKey', in: 'header', name: 'x-key' }
    },
  ],
  [
    'the authentication of an operation changes',
    'breaking',
    (d) => {
      d.components.securitySchemes.basic = { type: 'http', scheme: 'basic' }
      d.paths['/providers'].get.security = [{ basic: [] }]
    },
  ],
  [
    'an operation needs no key',
    'additive',
    (d) => {
      d.paths['/providers'].get.security = []
    },
  ],
  [
    'the path of the server changes',
    'breaking',
    (d) => {
      d.servers = [{ url: 'https://api.example/gateway/v2' }]
    },
  ],
  [
    'an operation is deprecated',
    'info',
    (d) => {
      d.paths['/providers'].get.deprecated = true
    },
  ],
  [
    'a parameter is deprecated',
    'info',
    (d) => {
      parameter(d, 'arena').deprecated = true
    },
  ],
  [
    'a field of a reply is deprecated',
    'info',
    (d) => {
      provider(d).properties.slug.deprecated = true
    },
  ],
  [
    'a reply gets a header',
    'additive',
    (d) => {
      d.paths['/providers'].get.responses['200'].headers['X-Cost'] = { schema: { type: 'number' } }
    },
  ],
  [
    'a reply loses a header',
    'info',
    (d) => void delete d.paths['/providers'].get.responses['200'].headers['x-request-id'],
  ],
  [
    'a request needs a header',
    'breaking',
    (d) =>
      void parameters(d).push({ in: 'header', name: 'X-Team', required: true, schema: { type: 'string' } }),
  ],
  [
    'two limits of a field change',
    'breaking',
    (d) => Object.assign(request(d).properties.name, { minLength: 5, maxLength: 900 }),
  ],
]

/** Findings for each change, computed once. */
const findingsCache = new Map<unknown, readonly Finding[]>()

function findingsInDocument(change: (document: Any) => void): readonly Finding[] {
  const cached = findingsCache.get(change)
  if (cached) return cached
  const changed = ownDocument()
  change(changed)
  const { findings } = findDrift({ mock, document: readDocument(changed), observed: new Map() })
  findingsCache.set(change, findings)
  return findings
}

async function findingsInRecordings(
  change: (recordings: Map<string, Recording>) => void,
): Promise<readonly Finding[]> {
  const cached = findingsCache.get(change)
  if (cached) return cached
  const recordings = await recordingsOfMock(standard, 1)
  change(recordings)
  const { findings } = findDrift({ mock, observed: new Map([['recordings', recordings]]) })
  findingsCache.set(change, findings)
  return findings
}

/** Formats the findings for a change, with the first one's message. */
function inLine(what: string, findings: readonly Finding[]): string {
  const [first] = findings
  const more = findings.length > 1 ? `, and ${findings.length - 1} more` : ''
  return first ? `${what}: ${first.severity} ${nameOf(first)}: ${first.message}${more}` : `${what}: nothing`
}

describe('drift --spec', () => {
  it('finds nothing between Understudy and its own document', () => {
    const document = readDocument(ownDocument())
    expect(findDrift({ mock, document, observed: new Map() }).findings).toEqual([])
  })

  it.each(inDocument)('finds that %s: %s', (_, severity, change) => {
    const findings = findingsInDocument(change)
    expect(findings.map((finding) => finding.severity)).toContain(severity)
    // The first finding is the change itself, not a consequence of it.
    expect(findings[0]?.severity).toBe(severity)
  })

  it('describes each change on one line', async () => {
    const lines = inDocument.map(([what, , change]) => inLine(what, findingsInDocument(change)))
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('drift/document.txt')
  })

  it('lists both limits of a field in one finding', () => {
    const [, , change] = inDocument.find(([what]) => what === 'two limits of a field change') ?? []
    const findings = change ? findingsInDocument(change) : []
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/minLength 5 .*maxLength 900 /),
    ])
  })

  it('reads OpenAPI 3.0 with nullable, references and allOf like 3.1', () => {
    const document = ownDocument()
    document.openapi = '3.0.3'
    const { properties, required } = provider(document)
    properties.privacy_policy_url = { type: 'string', nullable: true }
    const target = provider(document)
    delete target.properties
    delete target.required
    delete target.type
    target.allOf = [{ type: 'object', properties, required, additionalProperties: false }]
    expect(findDrift({ mock, document: readDocument(document), observed: new Map() }).findings).toEqual([])
  })

  it.each([{}, [], 'text', null, { openapi: '3.1.0', paths: {} }])('rejects %j as a document', (document) => {
    expect(() => readDocument(document)).toThrow(
      /^(is not an OpenAPI document: it has no paths|has no operations under paths)$/,
    )
  })
})

const hello: Ask = {
  method: 'POST',
  path: '/responses',
  body: { model: 'aurora/dawn-2', input: 'How do tides work?' },
}
const searched: Ask = { ...hello, body: { ...hello.body, stream: true, plugins: [{ id: 'web' }] } }
const standard: Ask[] = [
  { method: 'GET', path: '/providers' },
  { method: 'GET', path: '/presets/code-review' },
  { method: 'GET', path: '/presets/none' },
  hello,
  { ...hello, body: { ...hello.body, stream: true } },
  searched,
]

/** Changes a recording's JSON body. */
function withBody(recordings: Map<string, Recording>, index: number, change: (body: Any) => void): void {
  edit(recordings, index, (text) => {
    const value = JSON.parse(text)
    change(value)
    return JSON.stringify(value)
  })
}

/** Changes a recording's events, including `[DONE]`. */
function withEvents(
  recordings: Map<string, Recording>,
  index: number,
  change: (events: Any[]) => Any[],
): void {
  edit(recordings, index, (text) => {
    const events = text
      .trim()
      .split('\n\n')
      .map((line) => line.slice('data: '.length))
    const changed = change(events.map((event) => (event === '[DONE]' ? event : JSON.parse(event))))
    return changed
      .map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
      .join('')
  })
}

function edit(recordings: Map<string, Recording>, index: number, change: (text: string) => string): void {
  const name = `${index}.recording.jsonl`
  const recording = recordings.get(name) as Recording
  const text = change(new TextDecoder().decode(bodyOf(recording)))
  recordings.set(name, { ...recording, chunks: [toChunk(2, new TextEncoder().encode(text))] })
}

const of = (events: Any[], type: string) => events.filter((event) => event.type === type)
const without = (events: Any[], type: string) => events.filter((event) => event.type !== type)

const inRecordings: [string, Severity, (recordings: Map<string, Recording>) => void][] = [
  ['a field is missing', 'breaking', (t) => withBody(t, 0, ({ data }) => void delete data[3].slug)],
  [
    'a field is null',
    'breaking',
    (t) =>
      withBody(t, 0, ({ data }) => {
        data[3].slug = null
      }),
  ],
  [
    'a field has a different type',
    'breaking',
    (t) =>
      withBody(t, 0, ({ data }) => {
        data[3].name = 7
      }),
  ],
  [
    'a list is an object',
    'breaking',
    (t) =>
      withBody(t, 0, (all) => {
        all.data = {}
      }),
  ],
  [
    'a field is new',
    'additive',
    (t) =>
      withBody(t, 0, ({ data }) => {
        data[0].country = 'NO'
      }),
  ],
  [
    'a field next to the data is new',
    'additive',
    (t) =>
      withBody(t, 0, (all) => {
        all.total = 12
      }),
  ],
  [
    'a nested field is missing',
    'breaking',
    (t) => withBody(t, 1, ({ data }) => void delete data.designated_version.version),
  ],
  [
    'an envelope has a different code',
    'breaking',
    (t) =>
      withBody(t, 2, ({ error }) => {
        error.code = 'not_found'
      }),
  ],
  ['an envelope has no message', 'breaking', (t) => withBody(t, 2, ({ error }) => void delete error.message)],
  [
    'an envelope has a new field',
    'additive',
    (t) =>
      withBody(t, 2, ({ error }) => {
        error.hint = 'x'
      }),
  ],
  [
    'a status word is new',
    'additive',
    (t) =>
      withBody(t, 3, (all) => {
        all.status = 'paused'
      }),
  ],
  [
    'an item has a new type',
    'additive',
    (t) => withBody(t, 3, ({ output }) => void output.push({ type: 'music_call', id: 'm' })),
  ],
  [
    'a token count is a string',
    'breaking',
    (t) =>
      withBody(t, 3, ({ usage }) => {
        usage.total_tokens = '12'
      }),
  ],
  [
    'usage has a cost',
    'additive',
    (t) =>
      withBody(t, 3, ({ usage }) => {
        usage.cost = 0.01
      }),
  ],
  [
    'a stream has a new event',
    'additive',
    (t) => withEvents(t, 4, (e) => e.toSpliced(2, 0, { type: 'response.heartbeat', sequence_number: 1.5 })),
  ],
  ['a stream does not end with [DONE]', 'breaking', (t) => withEvents(t, 4, (e) => e.slice(0, -1))],
  [
    'a stream is missing its last event',
    'breaking',
    (t) => withEvents(t, 4, (e) => without(e, 'response.completed')),
  ],
  ['a stream is missing its first event', 'breaking', (t) => withEvents(t, 4, (e) => e.slice(1))],
  [
    'a stream is missing an event in the middle',
    'breaking',
    (t) => withEvents(t, 4, (e) => without(e, 'response.output_item.added')),
  ],
  ['two events are swapped', 'breaking', (t) => withEvents(t, 4, (e) => [e[1], e[0], ...e.slice(2)])],
  [
    'sequence numbers are missing',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) =>
        e.map((event) => (typeof event === 'string' ? event : { ...event, sequence_number: undefined })),
      ),
  ],
  [
    'sequence numbers do not increase',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) =>
        e.map((event) => (typeof event === 'string' ? event : { ...event, sequence_number: 1 })),
      ),
  ],
  [
    'deltas do not add up to the text',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) => {
        of(e, 'response.output_text.done')[0].text += '!'
        return e
      }),
  ],
  [
    'a delta is an object',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) => {
        of(e, 'response.output_text.delta')[0].delta = { text: 'x' }
        return e
      }),
  ],
  [
    'an event has a new field',
    'additive',
    (t) =>
      withEvents(t, 4, (e) => {
        of(e, 'response.output_text.delta')[0].obfuscation = 'x'
        return e
      }),
  ],
  [
    'an event is missing a field',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) => {
        for (const event of of(e, 'response.output_text.delta')) delete event.item_id
        return e
      }),
  ],
  [
    'an annotation exceeds its text',
    'breaking',
    (t) =>
      withEvents(t, 5, (e) => {
        for (const { part } of of(e, 'response.content_part.done')) part.annotations[0].end_index = 1_000_000
        return e
      }),
  ],
  [
    'the last response of a stream has no usage',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) => {
        delete of(e, 'response.completed')[0].response.usage
        return e
      }),
  ],
  [
    'the content type of a reply is not JSON',
    'breaking',
    (t) => {
      const recording = t.get('0.recording.jsonl') as Recording
      t.set('0.recording.jsonl', {
        ...recording,
        reply: { ...recording.reply, headers: { 'content-type': 'text/plain' } } as Recording['reply'],
      })
    },
  ],
  [
    'a header is new',
    'info',
    (t) => {
      const recording = t.get('0.recording.jsonl') as Recording
      t.set('0.recording.jsonl', {
        ...recording,
        reply: {
          ...recording.reply,
          headers: { 'content-type': 'application/json', 'x-region': 'a' },
        } as Recording['reply'],
      })
    },
  ],
]

describe('drift --recordings', () => {
  it('finds nothing between Understudy and recordings of itself, with random data', async () => {
    for (let seed = 1; seed <= cases(4, 500); seed++) {
      const recordings = await recordingsOfMock(randomAsks(seed), seed)
      const { findings } = findDrift({ mock, observed: new Map([['recordings', recordings]]) })
      expect(findings.map(nameOf), `seed ${seed}`).toEqual([])
    }
  }, 240_000)

  it.each(inRecordings)('finds that %s: %s', async (_, severity, change) => {
    const findings = await findingsInRecordings(change)
    expect(findings[0]?.severity, findings.map(nameOf).join('\n')).toBe(severity)
  })

  it('describes each change on one line', async () => {
    const lines: string[] = []
    for (const [what, , change] of inRecordings) {
      lines.push(inLine(what, await findingsInRecordings(change)))
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('drift/recordings.txt')
  })

  it('names the side that is wrong if there are both a document and recordings', async () => {
    const recordings = await recordingsOfMock(standard, 1)
    withBody(recordings, 0, ({ data }) => {
      data[0].country = 'NO'
    })
    const observed = new Map([['recordings' as const, recordings]])
    const verdictsOf = (document: Any) =>
      findDrift({ mock, document: readDocument(document), observed }).findings.map(({ path, verdict }) => [
        path,
        verdict,
      ])

    expect(verdictsOf(ownDocument())).toEqual([['data[].country', 'undocumented']])
    const both = ownDocument()
    provider(both).properties.country = { type: 'string' }
    expect(verdictsOf(both)).toEqual([['data[].country', 'ours-is-wrong']])
    const more = ownDocument()
    provider(more).properties.planet = { type: 'string' }
    expect(verdictsOf(more)).toContainEqual(['data[].planet', 'not-shipped'])
  })

  it('reports recordings as unchecked if none has a reply to a known operation', () => {
    const { unchecked } = findDrift({ mock, observed: new Map([['recordings', new Map()]]) })
    expect(unchecked).toHaveLength(1)
  })
})

describe('a baseline', () => {
  const changed = ownDocument()
  provider(changed).properties.country = { type: 'string' }
  const findings = () => findDrift({ mock, document: readDocument(changed), observed: new Map() }).findings
  const entry = {
    finding: 'listProviders reply 200 data[].country*',
    reason: 'coming',
    expires: '2026-06-30',
  }

  it('accepts a finding by name until the entry expires', () => {
    expect(accept(findings(), { accept: [entry] }, '2026-06-30')).toMatchObject({
      findings: [],
      accepted: 1,
      notes: [],
    })
    const later = accept(findings(), { accept: [entry] }, '2026-07-01')
    expect(later.findings).toHaveLength(1)
    expect(later.notes[0]).toContain('was accepted until 2026-06-30')
  })

  it('reports entries that no longer match a finding', () => {
    const { notes } = accept([], { accept: [entry] }, '2026-01-01')
    expect(notes[0]).toContain('was not found')
  })

  it('is optional for SARIF, in which an additive finding is a warning', () => {
    const report = { findings: grouped(findings()), accepted: 0, notes: [], unchecked: [], checked: {} }
    expect(toSarif(report, '1.0.0', 'openapi.json')).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'field-added', level: 'warning' }] }],
    })
  })
})
