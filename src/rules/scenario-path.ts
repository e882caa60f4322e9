/** Whether a text is the path of a scenario file, or of a tape, not the name of a bundled scenario. */
export function isScenarioPath(text: string): boolean {
  return /\.(jsonl?|ya?ml)$/i.test(text)
}
