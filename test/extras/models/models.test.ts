/** Tests embeddings and the catalogue of models through the OpenAI client. */
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'

let server: RunningServer
let client: OpenAI
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
  client = new OpenAI({ apiKey: 'any', baseURL: server.baseUrl, maxRetries: 0 })
})
afterAll(() => server.close())

const model = 'aurora/embed-large'

async function embed(...input: string[]): Promise<number[][]> {
  const { data } = await client.embeddings.create({ model, input })
  return data.map(({ embedding }) => embedding)
}

function cosine(left: readonly number[] = [], right: readonly number[] = []): number {
  return left.reduce((sum, value, place) => sum + value * (right[place] as number), 0)
}

describe('POST /embeddings', () => {
  it('returns unit vectors, and the same vector for the same text', async () => {
    const [first] = await embed('Tides follow the moon.')
    const [again] = await embed('Tides follow the moon.')
    expect(first).toHaveLength(1536)
    expect(cosine(first, first)).toBeCloseTo(1, 5)
    expect(again).toEqual(first)
    expect(first?.filter((value) => value === 0).length).toBeLessThan(100)
  })

  it('returns similar vectors for similar text, and distant vectors for a different subject', async () => {
    const [text, near, far] = await embed(
      'The harbour is closed in winter, and the boats stay ashore until the ice has gone.',
      'The harbour is closed in winter, and the ships stay ashore until the ice has gone.',
      'Compile the project with strict types, then run every unit test twice.',
    )
    expect(cosine(text, near)).toBeGreaterThan(0.8)
    expect(cosine(text, near)).toBeLessThan(1)
    expect(Math.abs(cosine(text, far))).toBeLessThan(0.4)
  })

  it.each([
    ['How long does a refund take?', 0],
    ['PASSWORD RESET', 1],
    ['Are you open on Sunday?', 2],
  ])('finds the text with the same words, whatever their case and number: %s', async (question, expected) => {
    const [query, ...texts] = await embed(
      question,
      'Refunds are paid within 14 days after we receive the returned item.',
      'You can reset your password in the settings.',
      'Our shop is closed on Sundays, and shipping takes three days.',
    )
    const similarities = texts.map((text) => cosine(query, text))
    expect(similarities.indexOf(Math.max(...similarities))).toBe(expected)
  })

  it.each([
    ['text-embedding-3-large', 3072],
    ['openai/text-embedding-3-large', 3072],
    ['text-embedding-3-small', 1536],
  ])('returns vectors as long as those of %s', async (model, length) => {
    const { data } = await client.embeddings.create({ model, input: 'Hello' })
    expect(data[0]?.embedding).toHaveLength(length)
  })

  it('accepts dimensions, and returns the same numbers as base64 and as floats', async () => {
    const ask = (encoding_format: 'float' | 'base64') =>
      client.embeddings.create({ model, input: 'Hello', dimensions: 64, encoding_format })
    const [{ data: floats }, { data: coded }] = await Promise.all([ask('float'), ask('base64')])
    expect(floats[0]?.embedding).toHaveLength(64)
    const bytes = Buffer.from(coded[0]?.embedding as unknown as string, 'base64')
    const decoded = Array.from({ length: 64 }, (_, place) => bytes.readFloatLE(place * 4))
    expect(decoded).toEqual(floats[0]?.embedding)
  })

  it('counts tokens, and accepts tokens instead of text', async () => {
    const { usage } = await client.embeddings.create({ model, input: ['one two', 'three'] })
    expect(usage).toEqual({ prompt_tokens: 3, total_tokens: 3 })
    const { data } = await client.embeddings.create({ model, input: [[1, 2, 3], [4]] })
    expect(data).toHaveLength(2)
  })

  it('returns the same vectors in every version, and zero if all features cancel out', async () => {
    const gateway = createGateway()
    const vectors = async (input: string[], dimensions: number) => {
      const { body } = await call(gateway, 'POST /embeddings', { body: { model, input, dimensions } })
      return body.data.map(({ embedding }: { embedding: number[] }) => embedding)
    }
    expect(await vectors(['Tides follow the moon.', ''], 3)).toEqual([
      [-0.21718616783618927, 0.8253072500228882, -0.5212467312812805],
      [0.5773502588272095, -0.5773502588272095, -0.5773502588272095],
    ])
    expect(await vectors(['word0', 'word1', 'word2', 'word15'], 1)).toEqual([[1], [-1], [0], [0]])
  })

  it('rejects empty input, and more values than a reply may contain', async () => {
    const input = Array.from({ length: 2000 }, () => 'x')
    await expect(client.embeddings.create({ model, input, dimensions: 8192 })).rejects.toMatchObject({
      status: 400,
    })
    await expect(client.embeddings.create({ model, input: [] })).rejects.toMatchObject({ status: 400 })
  })
})

describe('GET /models', () => {
  it('returns models with their prices', async () => {
    const { data } = await client.models.list()
    expect(data.map(({ id }) => id)).toContain('aurora/dawn-2')
    expect(data[0]).toMatchObject({ pricing: { prompt: expect.stringMatching(/^0\.\d+$/) } })
  })

  const read = async (path: string) => {
    const response = await fetch(server.baseUrl + path, { headers: { authorization: 'Bearer any' } })
    return { status: response.status, body: await response.json() }
  }

  it('supports filters, paging and counts', async () => {
    const all = (await read('/models')).body
    expect(all.total_count).toBe(all.data.length)
    const page = (await read('/models?limit=3&offset=3')).body
    expect(page.data).toEqual(all.data.slice(3, 6))
    expect(page.links.next).toBe('/api/v1/models?offset=6&limit=3')
    const thinking = (await read('/models?supported_parameters=reasoning,tools')).body
    expect(thinking.data.length).toBeGreaterThan(0)
    expect(thinking.data.length).toBeLessThan(all.data.length)
    expect((await read('/models/count')).body).toEqual({ data: { count: all.data.length } })
    expect((await read('/models?q=POLAR')).body.total_count).toBe(2)
    const embeddings = (await read('/embeddings/models')).body.data
    expect((await read('/models?output_modalities=embeddings')).body.data).toEqual(embeddings)
    const everything = [...all.data, ...embeddings]
    expect((await read('/models?output_modalities=all')).body.data).toEqual(everything)
    expect((await read('/models/count?output_modalities=all')).body.data.count).toBe(everything.length)
    expect((await read('/models?output_modalities=image')).body.total_count).toBe(0)
    expect((await read('/models?output_modalities=image,text')).body.total_count).toBe(all.total_count)
  })

  it('keeps its filters in the link to the next page, and rejects an empty page', async () => {
    const filters = '?supported_parameters=tools&q=a&output_modalities=all'
    const ids: string[] = []
    for (let next: string | null = `/models${filters}&limit=2`; next !== null; ) {
      const { body } = await read(next)
      ids.push(...body.data.map(({ id }: { id: string }) => id))
      next = body.links.next?.replace('/api/v1', '') ?? null
    }
    expect(ids.length).toBeGreaterThan(2)
    expect(ids).toEqual((await read(`/models${filters}`)).body.data.map(({ id }: { id: string }) => id))
    expect((await read('/models?limit=0')).status).toBe(400)
  })

  it("returns a model's endpoints", async () => {
    const { body } = await read('/models/aurora/dawn-2/endpoints')
    expect(body.data).toMatchObject({ id: 'aurora/dawn-2', endpoints: [{ model_id: 'aurora/dawn-2' }, {}] })
    for (const { id, links } of (await read('/models?output_modalities=all')).body.data)
      expect((await read(links.details.replace('/api/v1', ''))).body.data.id).toBe(id)
    expect((await read('/models/nobody/none/endpoints')).status).toBe(404)
    expect((await read('/models/a/b/endpoints')).status).toBe(404)
  })
})

describe('POST /rerank', () => {
  const rank = (body: object) => call(createGateway(), 'POST /rerank', { body })

  it.each([
    [{ model: 'm', query: '', documents: ['a'] }, 200],
    [{ model: 'm', query: '', documents: ['a'], top_n: 1 }, 200],
    [{ model: '', query: '', documents: ['a'] }, 400],
    [{ model: 'm', query: '', documents: [] }, 400],
    [{ model: 'm', query: '', documents: ['a'], top_n: 0 }, 400],
  ])('with %j returns %i', async (body, status) => {
    expect((await rank(body)).status).toBe(status)
  })

  it('orders the documents by the words that they share with the query, rare ones first', async () => {
    const documents = ['The tide is low.', 'Nothing.', { text: 'The moon moves the tide.' }]
    const query = 'Does the moon move the tide?'
    const { body } = await rank({ model: 'aurora/dawn-2', query, documents, top_n: 2 })
    expect(body.results).toMatchObject([
      { index: 2, document: documents[2] },
      { index: 0, document: { text: documents[0] } },
    ])
    expect(body.usage).toEqual({
      search_units: 1,
      cost: expect.any(Number),
      total_tokens: expect.any(Number),
    })
    const scores = (await rank({ model: 'm', query: 'the moon', documents: ['the', 'moon', 'the a'] })).body
    expect(scores.results.map(({ index }: { index: number }) => index)).toEqual([1, 0, 2])
  })
})

it('single models are found by id, slug and variant', async () => {
  const gateway = createGateway()
  for (const slug of ['dawn-2', 'dawn-2-2025-03', 'dawn-2:free'])
    for (const path of ['model/aurora/', 'models/aurora/', 'models/aurora%2F', 'models/aurora%2f'])
      expect((await call(gateway, `GET /${path}${slug}`)).body.data.id).toBe('aurora/dawn-2')
  expect((await call(gateway, 'GET /model/aurora/none')).status).toBe(404)
  const { error } = (await call(gateway, 'GET /models/gpt-5')).body
  expect(error.message).toMatch(/: no operation handles GET \/models\/gpt-5\. A rule can handle it/)
  const { data, links } = (await call(gateway, 'GET /models/user?limit=2&offset=1')).body
  expect([data.length, links.next]).toEqual([2, '/api/v1/models/user?offset=3&limit=2'])
})
