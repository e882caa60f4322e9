/**
 * Drift: every planted change is found with its severity, and the double never drifts from itself.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { apiDocument } from '../../../src/control/documents.ts'
import { readDocument } from '../../../src/extras/recordings/documents.ts'
import { accept, type Finding, findDrift, nameOf, toSarif } from '../../../src/extras/recordings/drift.ts'
import { describeMock, type MockDescription } from '../../../src/extras/recordings/observe.ts'
import { bodyOf, type Recording, toChunk } from '../../../src/extras/recordings/recording.ts'
import { cases } from '../../whole.ts'
import { type Ask, randomAsks, recordingsOfMock } from './mock-recordings.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents and bodies are changed in every place
type Any = any
type Severity = 'breaking' | 'additive' | 'info'

let mock: MockDescription
beforeAll(async () => {
  mock = await describeMock(apiDocument())
})

const ownDocument = (): Any => JSON.parse(JSON.stringify(apiDocument()))
const schemas = (document: Any) => document.components.schemas
const content = (document: Any, path: string, method = 'get') =>
  document.paths[path][method].responses['200'].content['application/json']
const body = (document: Any) =>
  document.paths['/workspaces/{id}'].patch.requestBody.content['application/json'].schema

/** A schema where it stands, or where it is referred to. */
const follow = (document: Any, schema: Any): Any =>
  schema.$ref ? schemas(document)[schema.$ref.split('/').at(-1)] : schema
/** A schema that is changed, as this place's own copy: operations that refer to the same one keep theirs. */
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
const drop = (list: string[], name: string) => list.splice(list.indexOf(name), 1)

const inDocument: [string, Severity, (document: Any) => void][] = [
  [
    'a required field of a reply is gone',
    'breaking',
    (d) => {
      delete provider(d).properties.slug
      drop(provider(d).required, 'slug')
    },
  ],
  ['a required field of a reply is optional', 'breaking', (d) => void drop(provider(d).required, 'name')],
  [
    'a field of a reply may be null',
    'breaking',
    (d) => {
      provider(d).properties.name = { type: ['string', 'null'] }
    },
  ],
  [
    'a field of a reply has another type',
    'breaking',
    (d) => {
      provider(d).properties.name = { type: 'integer' }
    },
  ],
  [
    'an integer of a reply is a number',
    'breaking',
    (d) => {
      model(d).properties.created = { type: 'number' }
    },
  ],
  [
    'a field of a reply may be of one more type',
    'breaking',
    (d) => {
      model(d).properties.id = { anyOf: [{ type: 'string' }, { type: 'object', properties: {} }] }
    },
  ],
  [
    'a reply has a new optional field',
    'additive',
    (d) => {
      provider(d).properties.country = { type: 'string' }
    },
  ],
  [
    'a reply has a new required field',
    'additive',
    (d) => {
      provider(d).properties.country = { type: 'string' }
      provider(d).required.push('country')
    },
  ],
  [
    'a field deep in a reply is new',
    'additive',
    (d) => {
      follow(d, model(d).properties.top_provider).properties.region = { type: 'string' }
    },
  ],
  [
    'a closed set of a reply has a new value',
    'additive',
    (d) => void response(d).properties.status.enum.push('paused'),
  ],
  [
    'a closed set of a reply has one value less',
    'info',
    (d) => void drop(response(d).properties.status.enum, 'queued'),
  ],
  [
    'a closed set of a reply is open',
    'additive',
    (d) => {
      response(d).properties.status = { type: 'string' }
    },
  ],
  [
    'a reply is never null any more',
    'info',
    (d) => {
      provider(d).properties.privacy_policy_url = { type: 'string' }
    },
  ],
  [
    'an item of a union is new',
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
  ['an operation is gone', 'breaking', (d) => void delete d.paths['/benchmarks']],
  [
    'an operation has another method',
    'breaking',
    (d) => {
      d.paths['/workspaces/{id}'].put = d.paths['/workspaces/{id}'].patch
      delete d.paths['/workspaces/{id}'].patch
    },
  ],
  [
    'an operation is new',
    'additive',
    (d) => {
      d.paths['/credits'] = { get: { operationId: 'getCredits', responses: {} } }
    },
  ],
  [
    'a reply has another status',
    'breaking',
    (d) => {
      const { responses } = d.paths['/providers'].get
      responses['206'] = responses['200']
      delete responses['200']
    },
  ],
  [
    'a reply has one more good status',
    'additive',
    (d) => {
      const { responses } = d.paths['/providers'].get
      responses['202'] = responses['200']
    },
  ],
  [
    'a reply has another media type',
    'breaking',
    (d) => {
      const content = d.paths['/providers'].get.responses['200'].content
      content['application/xml'] = content['application/json']
      delete content['application/json']
    },
  ],
  [
    'a field of a request is required',
    'breaking',
    (d) => {
      request(d).required = ['name']
    },
  ],
  [
    'a field of a request is new',
    'additive',
    (d) => {
      request(d).properties.colour = { type: 'string' }
    },
  ],
  [
    'a required field of a request is new',
    'breaking',
    (d) => {
      request(d).properties.colour = { type: 'string' }
      request(d).required = ['colour']
    },
  ],
  [
    'a field of a request is gone',
    'breaking',
    (d) => {
      delete request(d).properties.slug
      request(d).additionalProperties = false
    },
  ],
  [
    'a text of a request may be shorter only',
    'breaking',
    (d) => {
      request(d).properties.name.maxLength = 50
    },
  ],
  [
    'a text of a request may be longer',
    'additive',
    (d) => {
      request(d).properties.name.maxLength = 500
    },
  ],
  [
    'a pattern of a request changes',
    'breaking',
    (d) => {
      request(d).properties.slug.pattern = '^[a-z]+$'
    },
  ],
  [
    'a parameter is new',
    'additive',
    (d) => void parameters(d).push({ name: 'page', in: 'query', schema: { type: 'integer' } }),
  ],
  [
    'a required parameter is new',
    'breaking',
    (d) =>
      void parameters(d).push({ name: 'page', in: 'query', required: true, schema: { type: 'integer' } }),
  ],
  [
    'a parameter is gone',
    'breaking',
    (d) => void parameters(d).splice(parameters(d).indexOf(parameter(d, 'arena')), 1),
  ],
  [
    'a parameter takes one value more',
    'additive',
    (d) => void parameter(d, 'arena').schema.enum.push('robots'),
  ],
  [
    'a parameter takes one value less',
    'breaking',
    (d) => void drop(parameter(d, 'arena').schema.enum, 'agents'),
  ],
  [
    'a parameter is required',
    'breaking',
    (d) => {
      parameter(d, 'source').required = true
    },
  ],
]

/** What is found of each change, looked for once. */
const found = new Map<unknown, readonly Finding[]>()

function findingsInDocument(change: (document: Any) => void): readonly Finding[] {
  const known = found.get(change)
  if (known) return known
  const changed = ownDocument()
  change(changed)
  const { findings } = findDrift({ mock, document: readDocument(changed), observed: new Map() })
  found.set(change, findings)
  return findings
}

async function findingsInRecordings(
  change: (recordings: Map<string, Recording>) => void,
): Promise<readonly Finding[]> {
  const known = found.get(change)
  if (known) return known
  const recordings = await recordingsOfMock(standard, 1)
  change(recordings)
  const { findings } = findDrift({ mock, observed: new Map([['recordings', recordings]]) })
  found.set(change, findings)
  return findings
}

/** What is found of one change, the first of them in words. */
function inLine(what: string, findings: readonly Finding[]): string {
  const [first] = findings
  const more = findings.length > 1 ? `, and ${findings.length - 1} more` : ''
  return first ? `${what}: ${first.severity} ${nameOf(first)}: ${first.message}${more}` : `${what}: nothing`
}

describe('drift --spec', () => {
  it('finds nothing between the double and its own document', () => {
    const document = readDocument(ownDocument())
    expect(findDrift({ mock, document, observed: new Map() }).findings).toEqual([])
  })

  it.each(inDocument)('finds that %s: %s', (_, severity, change) => {
    const findings = findingsInDocument(change)
    expect(findings.map((finding) => finding.severity)).toContain(severity)
    // What is said first is what was changed: nothing worse is made of it.
    expect(findings[0]?.severity).toBe(severity)
  })

  it('says each of these changes in a line', async () => {
    const lines = inDocument.map(([what, , change]) => inLine(what, findingsInDocument(change)))
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('drift/document.txt')
  })

  it('reads OpenAPI 3.0 with its nullable, references and allOf as 3.1', () => {
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

  it.each([{}, [], 'text', { openapi: '3.1.0', paths: {} }])('cannot read %j as a document', (document) => {
    expect(() => readDocument(document)).toThrow(/paths/)
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

/** A recording whose JSON body is changed. */
function withBody(recordings: Map<string, Recording>, index: number, change: (body: Any) => void): void {
  edit(recordings, index, (text) => {
    const value = JSON.parse(text)
    change(value)
    return JSON.stringify(value)
  })
}

/** A recording whose events are changed; `[DONE]` is one of them. */
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
  ['a field is gone', 'breaking', (t) => withBody(t, 0, ({ data }) => void delete data[3].slug)],
  [
    'a field is null',
    'breaking',
    (t) =>
      withBody(t, 0, ({ data }) => {
        data[3].slug = null
      }),
  ],
  [
    'a field has another type',
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
    'a field beside the data is new',
    'additive',
    (t) =>
      withBody(t, 0, (all) => {
        all.total = 12
      }),
  ],
  [
    'a deep field is gone',
    'breaking',
    (t) => withBody(t, 1, ({ data }) => void delete data.designated_version.version),
  ],
  [
    'an envelope has another code',
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
    'an item is of a new type',
    'additive',
    (t) => withBody(t, 3, ({ output }) => void output.push({ type: 'music_call', id: 'm' })),
  ],
  [
    'usage counts in texts',
    'breaking',
    (t) =>
      withBody(t, 3, ({ usage }) => {
        usage.total_tokens = '12'
      }),
  ],
  [
    'usage has a price',
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
    'a stream lacks its last event',
    'breaking',
    (t) => withEvents(t, 4, (e) => without(e, 'response.completed')),
  ],
  ['a stream lacks its first event', 'breaking', (t) => withEvents(t, 4, (e) => e.slice(1))],
  [
    'a stream lacks an event in its middle',
    'breaking',
    (t) => withEvents(t, 4, (e) => without(e, 'response.output_item.added')),
  ],
  ['two events have changed places', 'breaking', (t) => withEvents(t, 4, (e) => [e[1], e[0], ...e.slice(2)])],
  [
    'sequence numbers are gone',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) =>
        e.map((event) => (typeof event === 'string' ? event : { ...event, sequence_number: undefined })),
      ),
  ],
  [
    'sequence numbers stand still',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) =>
        e.map((event) => (typeof event === 'string' ? event : { ...event, sequence_number: 1 })),
      ),
  ],
  [
    'deltas do not add up',
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
    'an event lacks a field',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) => {
        for (const event of of(e, 'response.output_text.delta')) delete event.item_id
        return e
      }),
  ],
  [
    'an annotation lies past its text',
    'breaking',
    (t) =>
      withEvents(t, 5, (e) => {
        for (const { part } of of(e, 'response.content_part.done')) part.annotations[0].end_index = 1_000_000
        return e
      }),
  ],
  [
    'the last response of a stream lacks its usage',
    'breaking',
    (t) =>
      withEvents(t, 4, (e) => {
        delete of(e, 'response.completed')[0].response.usage
        return e
      }),
  ],
  [
    'a reply is no JSON by its type',
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
  it('finds nothing between the double and recordings of itself, under random data', async () => {
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

  it('says each of these changes in a line', async () => {
    const lines: string[] = []
    for (const [what, , change] of inRecordings) {
      lines.push(inLine(what, await findingsInRecordings(change)))
    }
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('drift/recordings.txt')
  })

  it('says who is wrong, where there are a document and recordings', async () => {
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

  it('cannot check where no recording has a reply of an operation that it plays', () => {
    const { unchecked } = findDrift({ mock, observed: new Map([['recordings', new Map()]]) })
    expect(unchecked).toHaveLength(1)
  })
})

describe('A baseline', () => {
  const changed = ownDocument()
  provider(changed).properties.country = { type: 'string' }
  const findings = () => findDrift({ mock, document: readDocument(changed), observed: new Map() }).findings
  const entry = {
    finding: 'listProviders reply 200 data[].country*',
    reason: 'coming',
    expires: '2026-06-30',
  }

  it('accepts findings by name until its day is over', () => {
    expect(accept(findings(), { accept: [entry] }, '2026-06-30')).toMatchObject({
      findings: [],
      accepted: 1,
      notes: [],
    })
    const later = accept(findings(), { accept: [entry] }, '2026-07-01')
    expect(later.findings).toHaveLength(1)
    expect(later.notes[0]).toContain('was accepted until 2026-06-30')
  })

  it('says what it accepts and nobody finds any more', () => {
    const { notes } = accept([], { accept: [entry] }, '2026-01-01')
    expect(notes[0]).toContain('was not found')
  })

  it('is no part of SARIF, whose findings have their level', () => {
    const report = { findings: findings(), accepted: 0, notes: [], unchecked: [], checked: {} }
    expect(toSarif(report, '1.0.0', 'openapi.json')).toMatchObject({
      version: '2.1.0',
      runs: [{ results: [{ ruleId: 'field-added', level: 'warning' }] }],
    })
  })
})
