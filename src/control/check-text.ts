/**
 * A scenario as somebody writes it in an editor, with the place of every problem.
 */
import type { GatewayCore } from '../gateway/gateway.ts'
import { FileError, type Place, parseDataText } from '../lib/data-file.ts'
import { ScenarioError } from '../scenarios/check-scenario.ts'
import type { ScenarioInput } from '../scenarios/scenario.ts'

export interface TextCheck {
  /** With defaults filled in; null where there are problems. */
  scenario: ScenarioInput | null
  /** One for each thing that is wrong. */
  problems: (Place & { message: string })[]
}

const start: Place = { line: 1, column: 1 }

export function checkText(text: string, gateway: GatewayCore): TextCheck {
  try {
    const { value, locate } = parseDataText('scenario', text)
    try {
      return { scenario: gateway.checkScenario(value) as ScenarioInput, problems: [] }
    } catch (error) {
      if (!(error instanceof ScenarioError)) throw error
      const isRule = typeof value === 'object' && value !== null && !('rules' in value)
      const problems = error.problems.map(({ path, message }) => ({
        // A single rule stands at the top of its text.
        ...locate(isRule ? path.slice(2) : path),
        message,
      }))
      return { scenario: null, problems }
    }
  } catch (error) {
    if (error instanceof FileError)
      return {
        scenario: null,
        problems: error.problems.map(({ message, line = 1, column = 1 }) => ({ line, column, message })),
      }
    if (error instanceof TypeError)
      return { scenario: null, problems: [{ ...start, message: error.message }] }
    throw error
  }
}
