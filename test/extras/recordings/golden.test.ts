/** Tests compatibility with a stored recording in this format version. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

it('a stored recording is replayed byte by byte', async () => {
  const folder = new URL('golden/', import.meta.url).pathname
  const [file] = readdirSync(folder)
  const lines = readFileSync(folder + file, 'utf8')
    .trim()
    .split('\n')
  const [{ request }, { reply }, ...chunks] = lines.slice(1, -1).map((line) => JSON.parse(line))
  const { fetch } = createGateway({ recordings: folder, timeScale: 0 })
  const send = (body: object) =>
    call({ fetch, apiKey: 'golden' }, `${request.method} ${request.path}`, { body })
  const replayed = await send(request.json)
  expect(replayed.status).toBe(reply.status)
  expect(replayed.headers.get('content-type')).toBe(reply.headers['content-type'])
  expect(replayed.text).toBe(chunks.map(({ text }) => text).join(''))
  expect((await send({ ...request.json, input: 'Not recorded' })).status).toBe(404)
})
