/** Reads hover texts from the shipped compiler's language server. */
import { spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { API } from 'typescript/unstable/sync'
import { inProject } from './project.ts'

/** Values of the public types, as users obtain them. */
const values = `
import type { CallMatch, Database, GatewayError, GatewayOptions, JournalEntry, Rule, Sandbox, SandboxOptions, Scenario, ScenarioError, Turn, WaitOptions, When } from 'gateway-understudy'
import { createGateway } from 'gateway-understudy'
import { intercept } from 'gateway-understudy/node'
import { connectGateway } from 'gateway-understudy/remote'
import { startServer } from 'gateway-understudy/serve'
import { test } from 'gateway-understudy/vitest'
export const gateway = createGateway()
export const sandbox = gateway.createSandbox()
export const { journal, db, clock, options } = gateway
export const { providers } = db
export const call = journal.last('createResponse')!
export const interception = intercept(gateway)
export const server = await startServer()
export const remote = await connectGateway('http://127.0.0.1:4141')
export const remoteSandbox = await remote.createSandbox()
export const { journal: remoteJournal, clock: remoteClock, db: remoteDb } = remote
export const { providers: remoteProviders } = remoteDb
export const fixtures = {} as Parameters<Parameters<typeof test.beforeEach>[0]>[0]
export const given = {} as GatewayOptions
export const sandboxOptions = {} as SandboxOptions
export const rule = {} as Rule
export const scenario = {} as Scenario
export const turn = {} as Turn
export const wait = {} as WaitOptions
export const when = {} as When
export const scenarioError = {} as ScenarioError
export const gatewayError = {} as GatewayError
`

/** Members of Vitest's tests and of errors, which this package does not define. */
const without = /^(fixtures\.(?!gateway|sandbox|server|serial)|\w+Error\.(name|message|stack|cause)$)/

/**
 * Returns the hover text of each public member, without its code, by name, such as `gateway.use`.
 *
 * @param folder The package's folder.
 */
export function hoverTexts(folder: string): Promise<Map<string, string>> {
  return inProject(folder, { 'values.ts': values }, async (home) => {
    const members = membersIn(home).filter((member) => !without.test(member))
    const file = join(home, 'members.ts')
    const names = new Set(members.map((member) => member.split('.')[0]))
    const lines = [`import { ${[...names].join(', ')} } from './values.ts'`, ...members]
    await writeFile(file, lines.join('\n'))
    return askServer(home, file, lines)
  })
}

function membersIn(home: string): string[] {
  const api = new API({ cwd: home })
  try {
    const [project] = api.updateSnapshot({ openProjects: [join(home, 'tsconfig.json')] }).getProjects()
    const file = project?.program.getSourceFile(join(home, 'values.ts'))
    const module = file && project?.checker.getSymbolAtLocation(file)
    if (!module || !project) throw new Error('the project has no values.ts')
    const { checker } = project
    return checker.getExportsOfModule(module).flatMap((value) => {
      const type = checker.getTypeOfSymbol(value)
      const properties = type ? checker.getPropertiesOfType(type) : []
      return properties.flatMap(({ name }) => (/^[a-z]\w*$/i.test(name) ? `${value.name}.${name}` : []))
    })
  } finally {
    api.close()
  }
}

async function askServer(home: string, file: string, lines: readonly string[]): Promise<Map<string, string>> {
  const server = spawn('npx', ['tsc', '--lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map<number, (result: { contents?: { value?: string } } | null) => void>()
  let received = Buffer.alloc(0)
  server.stdout.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    for (;;) {
      const begin = received.indexOf('\r\n\r\n') + 4
      const end = begin + Number(/Content-Length: (\d+)/.exec(received.toString('latin1', 0, begin))?.[1])
      if (begin < 4 || received.length < end) return
      const { id, method, result, params } = JSON.parse(received.toString('utf8', begin, end))
      received = received.subarray(end)
      if (method === undefined) waiting.get(id)?.(result)
      else if (id !== undefined) send({ id, result: params?.items?.map(() => null) ?? null })
    }
  })
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  let last = 0
  const ask = (method: string, params: object) =>
    new Promise<{ contents?: { value?: string } } | null>((resolve) => {
      waiting.set(++last, resolve)
      send({ id: last, method, params })
    })
  const uri = pathToFileURL(file).href
  const capabilities = { textDocument: { hover: { contentFormat: ['markdown'] } } }
  await ask('initialize', { processId: process.pid, rootUri: pathToFileURL(home).href, capabilities })
  send({ method: 'initialized', params: {} })
  const textDocument = { uri, languageId: 'typescript', version: 1, text: lines.join('\n') }
  send({ method: 'textDocument/didOpen', params: { textDocument } })
  const texts = new Map<string, string>()
  for (const [line, member] of lines.entries()) {
    if (line === 0) continue
    const position = { line, character: member.indexOf('.') + 1 }
    const result = await ask('textDocument/hover', { textDocument: { uri }, position })
    texts.set(member, (result?.contents?.value ?? '').replace(/^```[\s\S]*?```/, '').trim())
  }
  server.stdin.end()
  server.kill()
  return texts
}
