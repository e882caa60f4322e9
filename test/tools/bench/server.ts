/**
 * Runs in the process that `startSubject` creates: starts the server named in the first message (Understudy through
 * its command line), and reports its resource usage on request.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBaseline } from './baseline.ts'
import type { Setup, Usage } from './subject.ts'

const [setup] = (await once(process, 'message')) as [Setup]

process.on('message', ({ collect }: { collect: boolean }) => {
  if (collect) globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const { rss, heapUsed } = process.memoryUsage()
  process.send?.({ cpu: user + system, rss, heap: heapUsed } satisfies Usage)
})
process.on('disconnect', () => process.exit())

process.send?.({ port: await start(setup) })

async function start(wanted: Setup): Promise<number> {
  if (wanted.kind === 'baseline') return startBaseline(wanted.replies)
  if (wanted.kind === 'peer') return startPeer(wanted.text)
  const { runCommandLine } = (await import(wanted.entry)) as typeof import('../../../src/serve.ts')
  const folder = mkdtempSync(join(tmpdir(), 'understudy-bench-'))
  const config = join(folder, 'options.json')
  writeFileSync(config, JSON.stringify(wanted.options))
  const port = new Promise<number>((resolve) => {
    console.log = (line: string) => resolve(JSON.parse(line).port)
  })
  await runCommandLine(['--port', '0', '--quiet', '--json', '--config', config])
  rmSync(folder, { recursive: true })
  return port
}

async function startPeer(text: string): Promise<number> {
  const { MockLLM } = await import('phantomllm')
  const peer = new MockLLM()
  await peer.start()
  peer.given.response.willReturn(text)
  return Number(new URL(peer.baseUrl).port)
}
