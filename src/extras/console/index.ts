/** The console, a web page at `/__understudy/`. */
import type { ExtraDefinition } from '../../gateway/extra.ts'

export const webConsole: ExtraDefinition = {
  name: 'console',
  control: async (gateway) => (await import('./operations.ts')).consoleOperations(gateway),
  files(path) {
    const match = /^\/__understudy(\/(?:console-[\w-]+\.(?:js|css))?)?(?:\?|$)/.exec(path)
    return match ? import('./console-files.ts').then(({ consoleFile }) => consoleFile(match[1])) : undefined
  },
}
