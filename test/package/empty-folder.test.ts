/**
 * Tests that a user gets from an empty folder to a passing test of a stream with one command and at most ten lines of
 * code. `tools/binary` does the same in a shell, without Node.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { runIn } from '../consumers/consumer.ts'

const journeys = [
  {
    runner: 'Vitest',
    packages: 'vitest openai',
    file: 'tides.test.ts',
    command: 'npx vitest run',
    code: `
import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

test('streams the scripted text', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  const client = new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1' })
  const stream = client.responses.stream({ model: 'aurora/dawn-2', input: 'Why tides?' })
  expect((await stream.finalResponse()).output_text).toBe('Tides follow the moon.')
})
`,
  },
  {
    runner: 'Jest',
    packages: 'jest openai',
    file: 'tides.test.js',
    command: 'npx jest',
    code: `
const { createGateway } = require('gateway-understudy')
const OpenAI = require('openai')

test('streams the scripted text', async () => {
  const gateway = createGateway()
  gateway.reply('Tides follow the moon.')
  const client = new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1', fetch: gateway.fetch })
  const stream = client.responses.stream({ model: 'aurora/dawn-2', input: 'Why tides?' })
  expect((await stream.finalResponse()).output_text).toBe('Tides follow the moon.')
})
`,
  },
  {
    runner: 'Playwright',
    packages: '@playwright/test',
    file: 'tides.spec.ts',
    command: 'npx playwright test',
    code: `
import { expect, test } from 'gateway-understudy/playwright'

test('streams the scripted text', async ({ request, sandbox }) => {
  await sandbox.reply('Tides follow the moon.')
  const headers = { authorization: 'Bearer any' }
  const data = { model: 'aurora/dawn-2', input: 'Why tides?', stream: true }
  const reply = await request.post(\`\${sandbox.baseUrl}/responses\`, { headers, data })
  expect(await reply.text()).toMatch(/Tides follow the moon[^]*data: \\[DONE\\]/)
})
`,
  },
]

it.each(journeys)('$runner passes a first test in ten lines', async ({ packages, file, command, code }) => {
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(10)
  const folder = await mkdtemp(join(tmpdir(), 'understudy-empty-'))
  const install = `npm install --save-dev --no-audit --no-fund --prefer-offline ${inject('packed').tarball} ${packages}`
  await writeFile(join(folder, file), code)
  const { code: exitCode, stdout, stderr } = await runIn(folder, `${install} && ${command}`)
  expect(exitCode, stdout + stderr).toBe(0)
  expect(stdout + stderr).toMatch(/\b1 passed\b/)
  await rm(folder, { recursive: true })
})
