/** The path of a file with a scenario, a rule or a tape. */
export type ScenarioPath = `${string}.json` | `${string}.yaml` | `${string}.yml` | `${string}.tape.jsonl`

/** Whether a text is the path of a scenario file, or of a tape, not the name of a bundled scenario. */
export function isScenarioPath(text: string): boolean {
  return /\.(jsonl?|ya?ml)$/i.test(text)
}
