/**
 * Reloads scenario files when they change. If the new content is invalid, the old scenario stays active.
 */
import { type Stats, unwatchFile, watchFile } from 'node:fs'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { ScenarioFile } from './config-file.ts'

/** Polling interval in milliseconds. Only polling detects both replaced files and changes on network drives. */
const defaultIntervalMs = 200

/**
 * Watches files until the returned function is called.
 *
 * @param log Called with a line for each reload, successful or not.
 * @param interval Polling interval in milliseconds.
 */
export function watchScenarios(
  { sandboxes }: GatewayCore,
  files: readonly ScenarioFile[],
  log: (line: string) => void,
  interval = defaultIntervalMs,
): () => void {
  const watches = files.map(({ file, index }) => {
    const reload = (now: Stats, before: Stats) => {
      if (now.mtimeMs === before.mtimeMs && now.size === before.size) return
      try {
        sandboxes.replaceScenario(index, sandboxes.checkScenario(file))
        log(`reloaded ${file}`)
      } catch (error) {
        log(`kept the previous scenario: ${(error as Error).message}`)
      }
    }
    watchFile(file, { interval }, reload)
    return () => unwatchFile(file, reload)
  })
  return () => {
    for (const unwatch of watches) unwatch()
  }
}
