import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'

it.each([
  ['responses', 'createResponse'],
  ['responses.create', 'createResponse'],
  ['responses.stream', 'createResponse'],
  ['chat.completions', 'createChatCompletion'],
  ['chat.completions.create', 'createChatCompletion'],
  ['chat.completions.parse', 'createChatCompletion'],
  ['completions.create', 'createCompletion'],
  ['embeddings.create', 'createEmbeddings'],
  ['messages', 'createMessage'],
  ['messages.create', 'createMessage'],
])('%s, which clients call, is explained as %s', (name, id) => {
  const use = () => createGateway().use({ on: name as '*', fault: 'timeout' })
  expect(use).toThrow(`use(): on: '${name}' is an operation: use its id '${id}'`)
})
