/** Reloads scenario files when they change. If the new content is invalid, the old scenario stays active. */
import { watchFile } from 'node:fs'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { InitialScenario } from '../sandbox/options.ts'
import { isPath } from './config-file.ts'

/** Logs each reload. Only polling detects both replaced files and changes on network drives. */
export function watchScenarios(
  { sandboxes }: GatewayCore,
  scenarios: readonly InitialScenario[],
  log: (line: string) => void,
  interval = 200,
): void {
  scenarios.forEach((file, index) => {
    if (!isPath(file)) return
    watchFile(file, { interval }, (now, before) => {
      if (now.mtimeMs === before.mtimeMs && now.size === before.size) return
      try {
        sandboxes.replaceScenario(index, sandboxes.setup.checkScenario(file))
        log(`reloaded ${file}`)
      } catch (error) {
        log(`kept the previous scenario: ${(error as Error).message}`)
      }
    })
  })
}
