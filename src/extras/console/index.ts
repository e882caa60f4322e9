/**
 * The console, a page at `/__understudy/`.
 */
import type { ExtraDefinition } from '../../gateway/extra.ts'

export const webConsole: ExtraDefinition = {
  name: 'console',
  create: () => ({
    file(path) {
      const found = /^\/__understudy(\/(?:console-[\w-]+\.(?:js|css))?)?(?:\?|$)/.exec(path)
      return found ? import('./console-files.ts').then(({ consoleFile }) => consoleFile(found[1])) : undefined
    },
  }),
}
