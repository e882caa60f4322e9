/**
 * Verdicts: what an application did wrong when a gateway failed.
 *
 * @example
 * import { findings } from 'gateway-understudy/verdicts'
 *
 * expect(findings(sandbox, { result })).toEqual([])
 */
export { attemptsIn } from './extras/verdicts/attempts.ts'
export { type Evidence, type Finding, type FindingName, findings } from './extras/verdicts/findings.ts'
