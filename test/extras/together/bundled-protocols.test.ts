/** Tests that bundled scenarios take effect in every text protocol in process, and in one through the remote client. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BundledScenarioName, createGateway } from '../../../src/index.ts'
import type { JournalEntry } from '../../../src/journal/entry.ts'
import { connectGateway, type RemoteGateway } from '../../../src/remote.ts'
import { bundledScenarios } from '../../../src/scenarios/bundled.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { open, type Target } from '../../call.ts'

const model = 'aurora/dawn-1'
const messages = [{ role: 'user', content: 'Why is the sky blue? Search for it.' }]
const protocols = {
  createResponse: ['POST /responses', { model, input: 'Why is the sky blue?' }, 'gateway:web_search'],
  createChatCompletion: ['POST /chat/completions', { model, messages }, 'gateway:web_search'],
  createMessage: ['POST /messages', { model, messages, max_tokens: 1000 }, 'web_search_20250305'],
} as const

const options = { timeScale: 0 }

/** Expected warnings for scenarios that have no effect in a protocol. */
const expectedWarnings: Record<string, string> = {
  'bad-citations createMessage':
    "'citation-out-of-range' found nothing to act on: the answer's citations have no 'start_index'",
}

/**
 * Sends JSON, streaming and search requests until the scenario takes effect or records its expected warning.
 */
async function findEffect(
  target: Target,
  id: keyof typeof protocols,
  name: string,
  newest: () => Promise<JournalEntry | undefined>,
): Promise<string> {
  const [line, question, tool] = protocols[id]
  const short = { [id === 'createResponse' ? 'max_output_tokens' : 'max_tokens']: 30 }
  const search = { tools: [{ type: tool, ...(tool !== 'gateway:web_search' && { name: 'web_search' }) }] }
  for (let turn = 0; turn < 20; turn++) {
    for (const body of [question, { ...question, ...short, stream: true }, { ...question, ...search }]) {
      // The effect can be a broken connection.
      await send(target, line, { ...body, user: `user ${turn}` }, name === 'stream-stall').catch(() => {})
      const { rules = [], warnings = [] } = (await newest()) ?? {}
      const warning = warnings.find((each) => each.includes('nothing to act on'))
      if (warning && warning === expectedWarnings[`${name} ${id}`]) return warning
      if (rules[0]?.scenario === name && !warning) return 'has an effect'
    }
  }
  return 'has no effect'
}

/** Sends a request and reads the reply, or only its first chunk. */
async function send(target: Target, line: string, body: object, onlyFirstChunk: boolean): Promise<void> {
  const response = await open(target, line, { body })
  if (!onlyFirstChunk) return void (await response.text())
  const reader = response.body?.getReader()
  await reader?.read()
  await reader?.cancel()
}

let server: RunningServer
let remote: RemoteGateway
beforeAll(async () => {
  server = await startServer({ ...options })
  remote = await connectGateway(server.url)
})
afterAll(() => server.close())

describe.each(Object.keys(protocols) as (keyof typeof protocols)[])('bundled scenarios on %s', (id) => {
  const names = [...bundledScenarios.keys()] as BundledScenarioName[]

  it.each(names)('%s has an effect in process', async (name) => {
    const gateway = createGateway(options)
    gateway.use(name)
    const effect = await findEffect(gateway, id, name, async () =>
      gateway.journal.last(id as 'createResponse'),
    )
    expect(effect).toBe(expectedWarnings[`${name} ${id}`] ?? 'has an effect')
  })

  it.each(id === 'createMessage' ? names : [])('%s has an effect through the remote client', async (name) => {
    await using sandbox = await remote.createSandbox()
    await sandbox.use(name)
    const effect = await findEffect(sandbox, id, name, () => sandbox.journal.last(id as 'createResponse'))
    expect(effect).toBe(expectedWarnings[`${name} ${id}`] ?? 'has an effect')
  })
})

describe("rules with on: 'text'", () => {
  const ask = async (target: Target, id: keyof typeof protocols) => {
    const [line, body] = protocols[id]
    return (await open(target, line, { body })).text()
  }

  it.each(Object.keys(protocols) as (keyof typeof protocols)[])('match %s', async (id) => {
    const gateway = createGateway(options)
    gateway.use({ on: 'text', reply: { text: 'A scripted text.' } })
    expect(await ask(gateway, id)).toContain('A scripted text.')
  })

  it.each(Object.keys(protocols) as (keyof typeof protocols)[])(
    'are the default of reply() and script() in the remote client, for %s',
    async (id) => {
      await using sandbox = await remote.createSandbox()
      await sandbox.reply('A remote text.', { times: 1 })
      expect(await ask(sandbox, id)).toContain('A remote text.')
      await sandbox.script([{ text: 'A remote turn.' }])
      expect(await ask(sandbox, id)).toContain('A remote turn.')
    },
  )
})
