/** Creates the replies of operations that create, list, read, change and delete a path's records. */
import { GatewayError } from '../../http/errors.ts'
import type { Reply } from '../../http/reply.ts'
import { shown } from '../../lib/in-words.ts'
import { hash } from '../../lib/seed.ts'
import { generateValue } from '../../model/json-schema/generate-value.ts'
import type { RequestContext } from '../../operation.ts'
import { isJson } from '../documents/openapi-document.ts'
import type { DocumentOperation } from './document-operations.ts'
import { type Draft, echoPath, isObject, write } from './edits.ts'
import { pageOf, writePage } from './paging.ts'
import { type Fields, Records } from './records.ts'
import { type Layout, layoutOf, normalised, type Resource, type Verb } from './resource.ts'

/** Normalised names of fields that contain a record's creation time or update time. */
const creationTimes = ['createdat', 'created', 'createdon', 'createtime', 'creationtime', 'datecreated']
const updateTimes = ['updatedat', 'updated', 'updatedon', 'updatetime', 'modifiedat', 'lastmodified']
/** Fields that confirm a deletion. */
const confirmations = ['deleted', 'isdeleted', 'success']

/** Maximum number of generated keys to try. */
// mutation: equivalent (a bound on the work; any similar number will do)
const maxAttempts = 100

/** Operations whose replies contain a created record. */
const creating: readonly Verb[] = ['create', 'get', 'put']

/** A request to one of the resource's operations. */
interface Request {
  readonly operation: DocumentOperation
  readonly context: RequestContext
  readonly records: Records
  /** Key of the record in the path; undefined for a list's path. */
  readonly key: string | undefined
}

export class RecordReplies {
  readonly #resource: Resource<DocumentOperation>
  readonly #layouts = new Map<Verb, Layout | undefined>()

  constructor(resource: Resource<DocumentOperation>) {
    this.#resource = resource
  }

  get keyNames(): readonly string[] {
    return this.#resource.keyNames
  }

  /**
   * Responds to a request. Returns undefined if the operation's schemas have no records. Throws 404 for an unknown
   * record.
   */
  async respond(
    verb: Verb,
    operation: DocumentOperation,
    context: RequestContext,
  ): Promise<Reply | undefined> {
    const isOfList = verb === 'list' || verb === 'create'
    const layout = verb === 'list' ? this.#layout(verb) : this.#recordLayout
    // A POST operation whose reply does not contain a record might not create one.
    const isCreated = creating.some((each) => this.#layout(each))
    const values = valuesIn(operation.path, context.params)
    if (!layout || !isCreated || values.includes(undefined)) return undefined
    const key = isOfList ? undefined : values.at(-1)
    let place = 0
    const path = this.#resource.path.replace(/\{[^}]*\}/g, () =>
      encodeURIComponent(values[place++] as string),
    )
    const initial = await this.#initial(path, values, context)
    const records = new Records(context.sandbox.database, path, initial)
    const request: Request = { operation, context, records, key }
    if (verb === 'list') return this.#list(request, layout)
    if (verb === 'create') return this.#create(request, verb, layout)
    const before = await records.find(key as string)
    if (verb === 'put' && !before && !this.#resource.operations.has('create'))
      return this.#create(request, verb, layout)
    if (!before) {
      const name = operation.path.split('/').at(-1)?.slice(1, -1)
      const detail = `${path} has no record with the ${name} ${shown(key)}`
      throw new GatewayError(404, undefined, undefined, { assumption: 'document', detail })
    }
    if (verb === 'delete') await records.delete(key as string)
    const record =
      verb === 'get' || verb === 'delete' ? before : { ...before, ...this.#changes(request, before) }
    if (record !== before) await records.set(key as string, record)
    return this.#show(request, verb, record, key as string)
  }

  get #recordLayout(): Layout | undefined {
    const verbs: Verb[] = ['get', 'create', 'put', 'update', 'list']
    return verbs.map((verb) => this.#layout(verb)).find(Boolean)
  }

  #layout(verb: Verb): Layout | undefined {
    if (!this.#layouts.has(verb)) {
      const schema = this.#resource.operations.get(verb)?.documentReply.schema
      this.#layouts.set(verb, schema && layoutOf(schema, this.#resource.keyNames, verb === 'list'))
    }
    return this.#layouts.get(verb)
  }

  /** Returns the initial records: those in the list operation's sample. */
  async #initial(path: string, values: unknown[], context: RequestContext): Promise<Map<string, Fields>> {
    const layout = this.#layout('list')
    const operation = this.#resource.operations.get('list') as DocumentOperation
    if (!layout) return new Map()
    const names = parameterNames(operation.path)
    const params = Object.fromEntries(names.map((name, place) => [name, values[place]]))
    const sample = await operation.sample(context, hash(context.sandbox.seed, path, JSON.stringify(params)))
    const root = { value: sample }
    echoPath(root, operation.path, params)
    return new Map(itemsOf(root.value, layout).map((item) => [String(item[layout.key]), item]))
  }

  async #list({ operation, context, records }: Request, layout: Layout): Promise<Reply> {
    const all = [...(await records.all())]
    const { query } = context
    const matching = all.filter(([, record]) =>
      Object.entries(query ?? {}).every(
        ([name, value]) =>
          !layout.fields.has(name) || [value].flat().map(String).includes(String(record[name])),
      ),
    )
    const page = pageOf(matching, query, operation)
    return operation.reply(context, undefined, (draft) => {
      const items = itemsOf(draft.value, layout)
      const [pattern = {}] = items
      items.length = 0
      for (const [key, record] of page.items) items.push(shownFields({ ...pattern }, record, layout, key))
      writePage(draft.value, page)
    })
  }

  async #create(request: Request, verb: Verb, layout: Layout): Promise<Reply> {
    const { context, records, operation } = request
    const all = await records.all()
    const sampled = await this.#samples(request)
    const changes = this.#changes(request, sampled)
    const sent = request.key ?? changes[layout.key]
    const key = String(sent ?? this.#freeValue(request, layout, layout.key, new Set(all.keys())))
    if (request.key === undefined && all.has(key)) {
      const message = `A record with the ${layout.key} ${shown(key)} already exists`
      throw new GatewayError(409, message, undefined, { assumption: 'document' })
    }
    const record: Draft = { ...sampled }
    if (sampled['id'] !== undefined) {
      const taken = new Set([...all.values()].map(({ id }) => String(id)))
      record['id'] = this.#freeValue(request, layout, 'id', taken)
    }
    record[layout.key] = keyLike(sampled, layout, key)
    const sampledKey = String(sampled[layout.key])
    for (const [field, before] of Object.entries(record as Fields)) {
      if (creationTimes.includes(normalised(field))) record[field] = timeLike(before, context.now)
      else if (typeof before === 'string' && sampledKey.length > 5)
        record[field] = before.replaceAll(sampledKey, key)
    }
    echoPath({ value: record }, operation.path, context.params)
    Object.assign(record, changes)
    await records.set(key, record)
    return this.#show(request, verb, record, key)
  }

  /** Returns a new record's generated fields, which include those of all replies that contain the record. */
  async #samples({ context, operation }: Request): Promise<Fields> {
    const verbs: Verb[] = ['list', 'get', 'update', 'put', 'create']
    const fields: Fields = {}
    for (const verb of verbs) {
      const layout = this.#layout(verb)
      if (!layout) continue
      const seed = hash(context.sandbox.seed, operation.id, context.requestKey)
      const sample = await this.#resource.operations.get(verb)?.sample(context, seed)
      Object.assign(fields, verb === 'list' ? itemsOf(sample, layout)[0] : itemOf(sample, layout))
    }
    return fields
  }

  /** Returns a request's changes to a record: the sent fields that records have, and the update time. */
  #changes({ context: { body, now } }: Request, before: Fields): Fields {
    const layouts = [...this.#resource.operations.keys()].map((verb) => this.#layout(verb))
    const known = new Set(layouts.flatMap((layout) => [...(layout?.fields.keys() ?? [])]))
    const sent = Object.entries(isObject(body) ? body : {}).filter(([field]) => known.has(field))
    const fieldsOf = (names: readonly string[]) =>
      Object.entries(before).filter(([field]) => names.includes(normalised(field)))
    // An update time that is still null gets the creation time's format.
    const [[, form] = []] = fieldsOf(creationTimes)
    const times = fieldsOf(updateTimes).map(([field, time]) => [field, timeLike(time ?? form, now)])
    return Object.fromEntries([...times, ...sent])
  }

  /** Generates an unused key: `file_3f…`, the next number, or a value in the schema's format. */
  #freeValue({ context }: Request, layout: Layout, field: string, taken: ReadonlySet<string>): unknown {
    for (const attempt of Array(maxAttempts).keys()) {
      const seed = hash(context.requestKey, field, attempt)
      const { value } = generateValue(layout.bare(field), {
        seed,
        source: ({ type }) =>
          type === 'string' ? `${this.#resource.noun}_${seed}` : taken.size + 1 + attempt,
      })
      if (!taken.has(String(value))) return value
    }
    throw new GatewayError(409, `Every ${field} that the schema allows is taken`, undefined, {
      assumption: 'document',
    })
  }

  #show({ operation, context }: Request, verb: Verb, record: Fields, key: string): Promise<Reply> {
    const layout = this.#layout(verb)
    return operation.reply(context, hash(context.sandbox.seed, operation.id, key), (draft) => {
      if (layout) {
        const item = itemOf(draft.value, layout)
        if (item) shownFields(item, record, layout, key)
      }
      if (verb === 'delete') write(draft.value, confirmations, true)
    })
  }
}

/** Returns the decoded path parameters, in order. */
function valuesIn(path: string, params: unknown): (string | undefined)[] {
  return parameterNames(path).map((name) => {
    const value = isObject(params) ? params[name] : undefined
    return value === undefined ? undefined : String(value)
  })
}

function parameterNames(path: string): string[] {
  return Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name = '']) => name)
}

function itemOf(value: Draft, { field }: Layout): Draft | undefined {
  const item = field === undefined ? value : value?.[field]
  return isJson(item) ? item : undefined
}

function itemsOf(value: Draft, { field }: Layout): Draft[] {
  const items = field === undefined ? value : value?.[field]
  return Array.isArray(items) ? items : []
}

/**
 * Copies a record's fields to an item in the reply, except those that the reply's schema lacks, and sets the item's key.
 */
function shownFields(item: Draft, record: Fields, layout: Layout, key: string): Draft {
  for (const field of layout.fields.keys()) if (record[field] !== undefined) item[field] = record[field]
  item[layout.key] = keyLike(item, layout, key)
  return item
}

/** Returns the key, as a number if the field is numeric. */
function keyLike(item: Fields, { key: field }: Layout, key: string): unknown {
  return typeof item[field] === 'number' ? Number(key) : key
}

/** Returns a time in the same format as another one: ISO 8601, or Unix time in seconds or milliseconds. */
function timeLike(form: unknown, now: number): unknown {
  if (typeof form === 'number') return form > 1e11 ? now : Math.floor(now / 1000)
  if (typeof form !== 'string') return form
  const time = new Date(now).toISOString()
  return form.length === 10 ? time.slice(0, 10) : time
}
