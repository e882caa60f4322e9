/** Tests the records that an OpenAPI document's operations store in a sandbox. ajv validates every reply. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type Gateway, type Sandbox } from '../../../src/index.ts'
import { type Answer, type CallOptions, call } from '../../call.ts'
import { recordsDocument } from './records-document.ts'

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(recordsDocument, 'document')

let gateway: Gateway
let sandbox: Sandbox
beforeEach(() => {
  gateway = createGateway({ openapi: recordsDocument })
  sandbox = gateway.createSandbox()
})

/** Sends a request to a sandbox, and validates a successful reply. */
async function ask(line: string, body?: unknown, to: Sandbox = sandbox): Promise<Answer> {
  const options: CallOptions = body === undefined ? {} : { body }
  const reply = await call({ fetch: gateway.fetch, apiKey: to.apiKey }, line, options)
  if (reply.status >= 300 || reply.text === '') return reply
  const [method = '', path = ''] = line.split(' ')
  const route = gateway.router.find(method, path.split('?')[0] as string).operation?.path ?? ''
  const pointer = `${route.replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${reply.status}`
  const validate = ajv.compile({ $ref: `document#/paths/${pointer}/content/application~1json/schema` })
  expect(validate(reply.body) || validate.errors).toBe(true)
  return reply
}

describe('a path with records', () => {
  it('creates, finds, lists, changes and deletes records', async () => {
    const before = (await ask('GET /projects?limit=100')).body.data
    const made = await ask('POST /projects', { name: 'Moon', status: 'done', secret: 'hidden' })
    expect([made.status, made.headers.get('x-understudy-assumptions')]).toEqual([201, 'document'])
    expect(made.body.data).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Moon',
      status: 'done',
      created_at: '2026-01-01T00:00:00.002Z',
    })
    expect(made.text).not.toContain('hidden')
    const { id } = made.body.data
    expect((await ask(`GET /projects/${id}`)).body).toEqual(made.body)
    const changed = await ask(`PATCH /projects/${id}`, { status: 'open' })
    expect(changed.body.data).toEqual({
      ...made.body.data,
      status: 'open',
      updated_at: '2026-01-01T00:00:00.004Z',
    })
    const list = (await ask('GET /projects?limit=100')).body
    expect(list).toEqual({ data: [...before, changed.body.data], total_count: before.length + 1 })
    expect((await ask(`DELETE /projects/${id}`)).body).toEqual({ deleted: true, id })
    expect((await ask(`GET /projects/${id}`)).status).toBe(404)
    expect((await ask(`PATCH /projects/${id}`, {})).status).toBe(404)
    expect((await ask(`DELETE /projects/${id}`)).status).toBe(404)
    expect((await ask('GET /projects?limit=100')).body.data).toEqual(before)
    expect(sandbox.journal.entries().at(-2)?.reason).toContain(
      `/projects has no record with the project_id '${id}'`,
    )
  })

  it("starts with the records in its list's sample, which can be read, changed and deleted", async () => {
    const [first, ...others] = (await ask('GET /projects')).body.data
    expect((await ask(`GET /projects/${first.id}`)).body.data).toEqual(first)
    await ask(`PATCH /projects/${first.id}`, { name: 'Renamed' })
    expect((await ask('GET /projects')).body.data[0].name).toBe('Renamed')
    await ask(`DELETE /projects/${first.id}`)
    expect((await ask('GET /projects')).body.data).toEqual(others)
  })

  it('generates a different key for each record, even if the schema has an example', async () => {
    const ids = new Set<string>()
    for (let round = 0; round < 5; round++)
      ids.add((await ask('POST /projects', { name: 'Same' })).body.data.id)
    expect(ids.size).toBe(5)
  })

  it('ignores request values that the reply cannot contain', async () => {
    const { data } = (await ask('POST /projects', { name: 'Moon', status: 'lost', budget: 1.5 })).body
    expect(data.name).toBe('Moon')
    expect(['open', 'done']).toContain(data.status)
    expect(data.budget).not.toBe(1.5)
  })

  it("pages by limit and offset with the document's default, and filters by fields", async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await ask('POST /projects', { name, status: 'done' })
    const names = async (query: string) =>
      (await ask(`GET /projects?${query}`)).body.data.map(({ name }: { name: string }) => name)
    const { total_count, data } = (await ask('GET /projects')).body
    expect(data).toHaveLength(3)
    expect((await names(`offset=${total_count - 2}`)).join()).toBe('d,e')
    expect((await names(`offset=${total_count - 5}&limit=4`)).join()).toBe('a,b,c,d')
    expect(await names('offset=1000')).toEqual([])
    const open = (await ask('GET /projects?status=open&limit=100')).body
    expect(open.data.every(({ status }: { status: string }) => status === 'open')).toBe(true)
  })
})

describe('records nested under a record', () => {
  it("have numbers as keys, their parent's id, and pages", async () => {
    const before = (await ask('GET /projects/p7/tasks')).body.length
    const made = await ask('POST /projects/p7/tasks', { title: 'Land' })
    expect(made.body).toMatchObject({ id: before + 1, project_id: 'p7', title: 'Land' })
    const second = await ask('POST /projects/p7/tasks', { title: 'Return' })
    expect(second.body.id).toBe(before + 2)
    await ask('POST /projects/p7/tasks', { id: before + 4, title: 'Rest' })
    expect((await ask('POST /projects/p7/tasks', { title: 'Eat' })).body.id).toBe(before + 5)
    for (const id of [before + 4, before + 5]) await ask(`DELETE /projects/p7/tasks/${id}`)
    const all = (await ask('GET /projects/p7/tasks')).body
    expect(all.slice(-2).map(({ title }: { title: string }) => title)).toEqual(['Land', 'Return'])
    expect(all.every(({ project_id }: { project_id: string }) => project_id === 'p7')).toBe(true)
    const page = (await ask(`GET /projects/p7/tasks?page=${all.length}&per_page=1`)).body
    expect(page.map(({ title }: { title: string }) => title)).toEqual(['Return'])
    expect((await ask(`GET /projects/p7/tasks/${made.body.id}`)).body).toEqual(made.body)
    expect((await ask(`GET /projects/p8/tasks/${made.body.id}`)).body).not.toEqual(made.body)
    const put = await ask(`PUT /projects/p7/tasks/${made.body.id}`, { title: 'Landed', done: true })
    expect(put.body).toEqual({ ...made.body, title: 'Landed', done: true })
    expect((await ask('PUT /projects/p7/tasks/999', { title: 'None' })).status).toBe(404)
    expect((await ask(`DELETE /projects/p7/tasks/${made.body.id}`)).status).toBe(204)
    expect((await ask(`GET /projects/p7/tasks/${made.body.id}`)).status).toBe(404)
  })

  it('get different keys if they are created at the same time', async () => {
    const made = await Promise.all(['a', 'b', 'c'].map((title) => ask('POST /projects/p7/tasks', { title })))
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(3)
  })

  it('are deleted with their parent', async () => {
    const { id } = (await ask('POST /projects', { name: 'Moon' })).body.data
    const before = (await ask(`GET /projects/${id}/tasks`)).body
    await ask(`POST /projects/${id}/tasks`, { title: 'Land' })
    await ask(`DELETE /projects/${id}`)
    expect((await ask(`GET /projects/${id}/tasks`)).body).toEqual(before)
  })
})

it('operations that store no records reply with samples, which echo the path parameters', async () => {
  const report = await ask('GET /reports/r5')
  expect(report.body.id).toBe('r5')
  expect(report.headers.get('x-understudy-assumptions')).toBe('document, documentSample')
  const row = await ask('GET /reports/r5/rows/7')
  expect(row.body).toEqual({
    id: 'cell',
    row_id: 7,
    report_id: 'r5',
    cells: [{ rowId: expect.any(String), reportId: {} }],
  })
  const id = '0b0e0f0a-1111-4222-8333-444455556666'
  const archived = await ask(`POST /projects/${id}/archive`)
  expect(archived.headers.get('x-understudy-assumptions')).toBe('document, documentSample')
})

describe('records in a sandbox', () => {
  const names = async (to: Sandbox) =>
    (await ask('GET /projects?limit=100', undefined, to)).body.data.map(({ name }: { name: string }) => name)

  it('are isolated from other sandboxes, and preserved by snapshots, forks and files', async () => {
    const other = gateway.createSandbox()
    const initial = await names(sandbox)
    const made = await ask('POST /projects', { name: 'Moon' })
    expect(await names(other)).toEqual(initial)
    const snapshot = sandbox.snapshot()
    const fork = sandbox.fork()
    const file = JSON.parse(JSON.stringify(sandbox.save()))
    await ask(`DELETE /projects/${made.body.data.id}`)
    await ask('POST /projects', { name: 'Mars' })
    expect(await names(sandbox)).toEqual([...initial, 'Mars'])
    sandbox.restore(snapshot)
    expect(await names(sandbox)).toEqual([...initial, 'Moon'])
    expect(await names(fork)).toEqual([...initial, 'Moon'])
    expect(await names(await gateway.openSandbox(file))).toEqual([...initial, 'Moon'])
    sandbox.reset()
    expect(await names(sandbox)).toEqual(initial)
    expect((await ask('POST /projects', { name: 'Moon' })).body.data.id).not.toBe('')
  })

  it('get the same keys and times for the same requests', async () => {
    const steps = async (to: Sandbox) => {
      const made = await ask('POST /projects', { name: 'Moon' }, to)
      return [made.text, (await ask('GET /projects', undefined, to)).text]
    }
    expect(await steps(gateway.createSandbox())).toEqual(await steps(gateway.createSandbox()))
  })

  it('are limited in number, but can be changed if there is no room for more', async () => {
    const { state, apiKey } = gateway.createSandbox()
    const records = state.database.table('documentRecords')
    for (let key = 0; key < 9998; key++) await records.create({ path: '/other', key: String(key), value: {} })
    const send = (line: string) => call({ fetch: gateway.fetch, apiKey }, line, { body: { name: 'Moon' } })
    const made = await send('POST /projects')
    expect([made.status, (await send('POST /projects')).status]).toEqual([201, 201])
    const { status, body } = await send('POST /projects')
    expect([status, body.error.message]).toEqual([
      429,
      'The sandbox is full: the maximum is 10000 OpenAPI records with 4194304 characters in total',
    ])
    expect((await send(`PATCH /projects/${made.body.data.id}`)).status).toBe(200)
  })

  it('are limited in total size', async () => {
    const statusWith = async (characters: number) => {
      const { state, apiKey } = gateway.createSandbox()
      const records = state.database.table('documentRecords')
      const value = { text: 'x'.repeat(characters - '{"text":""}'.length) }
      await records.create({ path: '/other', key: 'a', value })
      await records.create({ path: '/other', key: 'b', value: null })
      const { status } = await call({ fetch: gateway.fetch, apiKey }, 'POST /projects', {
        body: { name: 'Moon' },
      })
      return [status, JSON.stringify((await records.rows()).at(-1)).length]
    }
    const [, row = 0] = await statusWith(100)
    const record = row - '{"path":"/projects","key":"","value":}'.length - 36
    expect(await statusWith(4 * 1024 * 1024 - record)).toEqual([201, row])
    expect((await statusWith(4 * 1024 * 1024 - record + 1))[0]).toBe(429)
  })
})
