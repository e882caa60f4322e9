/** Checks a scenario editor's text, and reports each problem with its line and column. */

import type { GatewayCore } from '../gateway/gateway.ts'
import { FileError, type Place, parseDataText } from '../lib/data-file.ts'
import type { ScenarioInput } from '../scenarios/scenario.ts'
import { ScenarioError } from '../scenarios/scenario-error.ts'

export interface TextCheck {
  /** Scenario with defaults filled in; null if there are problems. */
  scenario: ScenarioInput | null
  /** All problems, with line and column. */
  problems: (Place & { message: string })[]
}

export function checkText(text: string, gateway: GatewayCore): TextCheck {
  try {
    const { value, locate } = parseDataText('scenario', text)
    try {
      return { scenario: gateway.checkScenario(value) as ScenarioInput, problems: [] }
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      const problems = error.problems.map(({ path, message }) => ({ ...locate(path), message }))
      return { scenario: null, problems }
    }
  } catch (error) {
    if (error instanceof FileError)
      return {
        scenario: null,
        problems: error.problems.map(({ message, line = 1, column = 1 }) => ({ line, column, message })),
      }
    throw error
  }
}
