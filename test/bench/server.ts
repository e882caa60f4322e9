/**
 * The process behind `startSubject`: serves what the first message says, and tells what it has used whenever asked.
 */
import { once } from 'node:events'
import { startFloor } from './floor.ts'
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
  if (wanted.kind === 'floor') return startFloor(wanted.replies)
  const { startServer } = (await import(wanted.entry)) as typeof import('../../src/serve.ts')
  const { port } = await startServer({ port: 0, ...wanted.options })
  return port
}
