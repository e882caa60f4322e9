/**
 * Tests that a dialect's comment line, which belongs to event streams, is not added to an OpenAPI document's
 * binary replies.
 */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { open } from '../../call.ts'

it('a binary reply has no comment line', async () => {
  const content = { 'image/png': {} }
  const paths = { '/file': { get: { responses: { 200: { description: 'A file', content } } } } }
  const gateway = createGateway({
    dialect: 'openrouter',
    openapi: { openapi: '3.1.0', paths },
  })
  expect(await (await open(gateway, 'GET /file')).text()).not.toContain('OPENROUTER')
})
