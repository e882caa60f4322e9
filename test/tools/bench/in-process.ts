/**
 * Measures in process: `gateway.fetch`, an intercepted `fetch`, and the handlers with both major versions of
 * MSW.
 */

import type { Section } from './measure.ts'
import { inSeparateProcess } from './separate-process.ts'

/** Resolves every import of `msw` to `msw2`. */
const withMsw2 = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) => next(name.replace(/^msw(?=$|\\/)/, 'msw2'), context) })
`)}`

export const inProcess: Section = {
  name: 'in-process',
  title: 'In process, CPU time',
  async run(bench) {
    const figures = await inSeparateProcess(new URL('./fetch.ts', import.meta.url), bench)
    figures.push(...(await inSeparateProcess(new URL('./intercepted.ts', import.meta.url), bench)))
    const handlers = new URL('./handlers.ts', import.meta.url)
    for (const [major, options] of [
      [3, []],
      [2, ['--import', withMsw2]],
    ] as const) {
      const measured = await inSeparateProcess(handlers, bench, [...options])
      figures.push(...measured.map((figure) => ({ ...figure, name: `${figure.name} under MSW ${major}` })))
    }
    return figures
  },
}
