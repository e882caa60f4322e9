/** Checks the text of a scenario in the editor, and finds past calls that its rules would have matched. */
import type { GatewayCore } from '../../gateway/gateway.ts'
import { GatewayError } from '../../http/errors.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { Clock } from '../../lib/clock.ts'
import { type DataFile, FileError, type Place, parseDataText } from '../../lib/data-file.ts'
import { parseJson } from '../../lib/json.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { Rules } from '../../scenarios/rules.ts'
import type { ParsedScenario } from '../../scenarios/scenario.ts'
import { ScenarioError } from '../../scenarios/scenario-error.ts'
import type { Completions } from './completions.ts'

export interface ScenarioDraft {
  /** The scenario; null if there are problems. */
  scenario: ParsedScenario | null
  /** Problems, each with its position in the text. */
  problems: (Place & { message: string })[]
  /** Past calls that the scenario would have matched; null if there are problems. */
  dryRun: DryRun | null
}

/** The server's reply to a draft: its check, and names that complete the text at the caret. */
export interface CheckedDraft extends ScenarioDraft {
  completions: Completions
}

export interface DryRun {
  tested: number
  /** Calls that a rule would have matched, newest first, with the rule's number. */
  calls: { id: string; rule: number }[]
}

/** Default position of a problem. */
const start: Place = { line: 1, column: 1 }
/** Maximum length of YAML in characters. The parser takes up to 35 µs per character. */
const maxYaml = 100_000
/** Maximum number of past calls to try a scenario on. */
const maxCalls = 1000

export function checkDraft(text: string, gateway: GatewayCore, sandbox: Sandbox): ScenarioDraft {
  let locate: DataFile['locate'] = () => start
  if (text.length > maxYaml && parseJson(text) === undefined) {
    const message = `is longer than ${maxYaml} characters: convert it to JSON, or use it as a file`
    return { scenario: null, problems: [{ message, ...start }], dryRun: null }
  }
  try {
    const file = parseDataText('scenario', text)
    locate = file.locate
    const scenario = gateway.checkScenario(file.value)
    return { scenario, problems: [], dryRun: dryRun(scenario, gateway, sandbox) }
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

/** Matches past calls. Counters start from zero, and time windows start with the first call. Changes nothing. */
function dryRun(scenario: ParsedScenario, { operations }: GatewayCore, sandbox: Sandbox): DryRun {
  const { journal, seed, options } = sandbox
  const records = journal.records().slice(-maxCalls)
  const clock = new PastClock()
  const rules = new Rules({ seed, clock })
  rules.use(scenario)
  const calls = records.flatMap((record) => {
    clock.at = (record.startedAt - (records[0] as CallRecord).startedAt) * options.timeScale
    const { id, body, query } = record
    const protocol = operations.find((each) => each.id === record.operation)?.protocol
    // `body` is read once, because every access parses the text again. A spread omits getters.
    const request = { ...record, body, query, generatesText: protocol !== undefined }
    const { matches } = rules.match(request, [], () => protocol?.conversation(body))
    return matches.slice(0, 1).map(({ rule }) => ({ id, rule }))
  })
  return { tested: records.length, calls: calls.reverse() }
}

class PastClock extends Clock {
  at = 0

  override elapsed(): number {
    return this.at
  }
}
