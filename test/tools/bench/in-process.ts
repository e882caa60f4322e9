/**
 * In process: `gateway.fetch`, an intercepted `fetch`, and our handlers under MSW, for both of its majors.
 */
import { aside } from './aside.ts'
import type { Section } from './measure.ts'

/** Lets everything that asks for `msw` have `msw2`. */
const withMsw2 = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module'
registerHooks({ resolve: (name, context, next) => next(name.replace(/^msw(?=$|\\/)/, 'msw2'), context) })
`)}`

export const inProcess: Section = {
  name: 'in-process',
  title: 'In process, processor time',
  async run(bench) {
    const figures = await aside(new URL('./fetch.ts', import.meta.url), bench)
    figures.push(...(await aside(new URL('./intercepted.ts', import.meta.url), bench)))
    const handlers = new URL('./handlers.ts', import.meta.url)
    for (const [major, options] of [
      [3, []],
      [2, ['--import', withMsw2]],
    ] as const) {
      const measured = await aside(handlers, bench, [...options])
      figures.push(...measured.map((figure) => ({ ...figure, name: `${figure.name} under MSW ${major}` })))
    }
    return figures
  },
}
