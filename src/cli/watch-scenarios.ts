/**
 * Reloads scenario files when they change. An edit that breaks one keeps the old one, and says why.
 */
import { type Stats, unwatchFile, watchFile } from 'node:fs'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { ScenarioFile } from './config-file.ts'
import { loadScenarioFile } from './scenario-file.ts'

/** Looked at so often: editors replace files, folders may lie on other machines, and only this notices both. */
const interval = 200

/**
 * Watches until the returned function is called.
 *
 * @param tell Gets one line for each reload, good or bad.
 */
export function watchScenarios(
  { operations, sandboxes }: GatewayCore,
  files: readonly ScenarioFile[],
  tell: (line: string) => void,
): () => void {
  const watches = files.map(({ file, place }) => {
    const reload = (now: Stats, before: Stats) => {
      if (now.mtimeMs === before.mtimeMs && now.size === before.size) return
      try {
        sandboxes.replaceScenario(place, loadScenarioFile(file, operations))
        tell(`reloaded ${file}`)
      } catch (error) {
        tell(`kept the scenario as it was: ${(error as Error).message}`)
      }
    }
    watchFile(file, { interval }, reload)
    return () => unwatchFile(file, reload)
  })
  return () => {
    for (const end of watches) end()
  }
}
