/** Checks the text of a scenario in the editor, and tries it on past calls. */
import type { GatewayCore } from '../../gateway/gateway.ts'
import { GatewayError } from '../../http/errors.ts'
import { type DataFile, FileError, type Place, parseDataText } from '../../lib/data-file.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Scenario } from '../../scenarios/scenario.ts'
import { ScenarioError } from '../../scenarios/scenario-error.ts'
import { type DryRun, dryRun } from './dry-run.ts'

export interface ScenarioDraft {
  /** The scenario; null if there are problems. */
  scenario: Scenario | null
  /** Problems, each with its position in the text. */
  problems: (Place & { message: string })[]
  /** Past calls that the scenario would have matched; null if there are problems. */
  dryRun: DryRun | null
}

/** Position of problems that have no other. */
const start: Place = { line: 1, column: 1 }
/** Maximum number of past calls to try. */
const maxCalls = 1000

export function checkDraft(text: string, gateway: GatewayCore, sandbox: Sandbox): ScenarioDraft {
  let locate: DataFile['locate'] = () => start
  try {
    const file = parseDataText('scenario', text)
    locate = file.locate
    const scenario = gateway.checkScenario(file.value)
    const { journal, seed, options } = sandbox
    const protocolOf = (id: string | undefined) => gateway.operations.find((each) => each.id === id)?.protocol
    const setup = { seed, timeScale: options.timeScale, protocolOf }
    return { scenario, problems: [], dryRun: dryRun(scenario, journal.records().slice(-maxCalls), setup) }
  } catch (error) {
    return { scenario: null, problems: problemsOf(error, locate), dryRun: null }
  }
}

function problemsOf(error: unknown, locate: DataFile['locate']): ScenarioDraft['problems'] {
  if (error instanceof ScenarioError)
    return error.problems.map(({ path, message }) => ({ message, ...locate(path) }))
  if (error instanceof FileError)
    return error.problems.map(({ file: _, ...problem }) => ({ ...start, ...problem }))
  if (error instanceof GatewayError) return [{ message: error.message, ...start }]
  throw error
}
