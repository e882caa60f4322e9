/** Whether a text is the path of a scenario file, not the name of a bundled scenario. */
export function isScenarioPath(text: string): boolean {
  return /\.(json|ya?ml)$/i.test(text)
}
