/**
 * Compares the tool arguments for several hundred prompts, including implausible ones, with a stored file.
 * `vitest run -u test/extras/values` rewrites the file.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'
import prompts from './prompts.json' with { type: 'json' }

interface Prompt {
  prompt: string
  description?: string
  schema: object
}

const gateway = createGateway()
const corpus: Prompt[] = readFileSync(new URL('corpus.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line))

it('the tool arguments for stored prompts are unchanged', async () => {
  const lines: string[] = []
  const all: Prompt[] = [...prompts, ...corpus]
  for (const { prompt, description, schema } of all) {
    const tools = [{ type: 'function', name: 'run', description, parameters: schema }]
    const body = { model: 'aurora/dawn-2', input: prompt, tools, tool_choice: 'required' }
    lines.push((await call(gateway, 'POST /responses', { body })).body.output[0].arguments)
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('corpus.txt')
})
