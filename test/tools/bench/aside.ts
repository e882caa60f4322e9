/**
 * Runs a measurement in a process of its own, so that none has another one's garbage, or its warmth.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Bench, Figure } from './measure.ts'

/** What a module that is measured aside exports. */
export interface Aside {
  measure(bench: Bench): Promise<Figure[]>
}

/** @param module Its URL. */
export async function aside(module: URL, { flags }: Bench, execArgv: string[] = []): Promise<Figure[]> {
  const child = fork(new URL('./run-aside.ts', import.meta.url), [module.href, JSON.stringify(flags)], {
    execArgv: ['--expose-gc', ...execArgv],
  })
  let figures: Figure[] | undefined
  child.on('message', (message) => {
    figures = message as Figure[]
  })
  await once(child, 'exit')
  if (!figures) throw new Error(`${module.pathname} ended without its figures`)
  return figures
}
