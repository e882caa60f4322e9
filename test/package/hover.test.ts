import { expect, inject, it } from 'vitest'
import { hoverTexts } from './hover.ts'

it('an editor shows a doc comment on hover for every public member', async () => {
  const texts = await hoverTexts(inject('packed').folder)
  for (const member of ['use', 'fail', 'reply', 'script', 'journal', 'db', 'clock', 'reset', 'snapshot'])
    expect(texts.get(`gateway.${member}`)).toMatch(/^[A-Z].*\./s)
  expect([...texts].filter(([, text]) => text === '').map(([member]) => member)).toEqual([])
})
