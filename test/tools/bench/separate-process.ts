/**
 * Runs a measurement in a separate process, so that garbage and compiled code from other measurements do not
 * affect it.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Bench, Figure } from './measure.ts'

/** Exports of a module that is measured in a separate process. */
export interface SeparateModule {
  measure(bench: Bench): Promise<Figure[]>
}

/** @param module The module's URL. */
export async function inSeparateProcess(
  module: URL,
  { flags }: Bench,
  execArgv: string[] = [],
): Promise<Figure[]> {
  const child = fork(
    new URL('./run-separate-process.ts', import.meta.url),
    [module.href, JSON.stringify(flags)],
    {
      execArgv: ['--expose-gc', ...execArgv],
    },
  )
  let figures: Figure[] | undefined
  child.on('message', (message) => {
    figures = message as Figure[]
  })
  await once(child, 'exit')
  if (!figures) throw new Error(`${module.pathname} ended without its figures`)
  return figures
}
