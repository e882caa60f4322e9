/** Tests that binary replies from an OpenAPI document's operations are small, valid files. */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { open } from '../../call.ts'

const answer = (type: string) => ({
  get: { responses: { 200: { description: 'A file', content: { [type]: {} } } } },
})

/** First bytes of files, as Latin-1 text. */
const beginnings = {
  'application/pdf': '%PDF-1.4\n',
  'application/zip': 'PK\x03\x04',
  'audio/aac': '\xff\xf1',
  'audio/mp4': '\0\0\0\x1cftypM4A ',
  'audio/mpeg': '\xff\xe3',
  'audio/ogg': 'OggS',
  'audio/wav': 'RIFF',
  'image/gif': 'GIF89a',
  'image/jpeg': '\xff\xd8\xff',
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/webp': 'RIFF\x36\0\0\0WEBP',
  'video/mp4': '\0\0\0\x20ftypisom',
  'video/webm': '\x1aE\xdf\xa3',
}

it.each(Object.entries(beginnings))(
  'a reply of type %s is a small file of this type, and has a content-length',
  async (type, beginning) => {
    const gateway = createGateway({ openapi: { openapi: '3.1.0', paths: { '/file': answer(type) } } })
    const response = await open(gateway, 'GET /file')
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(new TextDecoder('latin1').decode(bytes.slice(0, beginning.length))).toBe(
      new TextDecoder('latin1').decode(Uint8Array.from(beginning, (unit) => unit.charCodeAt(0))),
    )
    expect(response.headers.get('content-length')).toBe(String(bytes.length))
    expect(bytes.length).toBeLessThan(2000)
  },
)

it('replies of binary types without a sample file have a content-length, and depend on the seed', async () => {
  const openapi = { openapi: '3.1.0', paths: { '/file': answer('application/octet-stream') } }
  const texts = [1, 1, 2].map(async (seed) => {
    const response = await open(createGateway({ openapi, seed }), 'GET /file')
    const text = await response.text()
    expect(response.headers.get('content-length')).toBe(String(text.length))
    return text
  })
  const [first, same, other] = await Promise.all(texts)
  expect([first === same, first === other]).toEqual([true, false])
})
