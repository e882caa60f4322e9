/**
 * Mistyped models, where a gateway has been told which ones there are.
 */
import { invalidRequest } from '../http/errors.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { compileGlob } from '../lib/glob.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { withoutOnline } from './search/search-request.ts'

/**
 * Warns of a model that is not among the listed ones, with the nearest that is; throws 400 for it with `strict`.
 *
 * @param model The model that answers: that of the preset, where the request names a preset.
 */
export async function checkModel(
  model: string,
  { options, tables }: SandboxState,
  warn: (message: string) => void,
): Promise<void> {
  const listed = options.models
  if (!listed) return
  const name = withoutOnline(model)
  const globs = listed.map(compileGlob)
  const isListed = (each: string) => globs.some((covers) => covers(each.toLowerCase()))
  if (isListed(name)) return
  const known = await tables.benchmarks.memo('models', (rows) => [
    ...new Set(rows.map((row) => row.model_permaslug)),
  ])
  const meant = name.length > 200 ? undefined : nearest(name, [...listed, ...known.filter(isListed)])
  const message = `'${name.slice(0, 200)}' is not among the models of this gateway`
  const hint = meant === undefined ? `: ${listed.slice(0, 10).join(', ')}` : `: did you mean '${meant}'?`
  if (options.strict)
    throw invalidRequest([{ path: 'body.model', message: message + hint, rule: 'unknown_model' }])
  warn(`body.model ${message}${hint}`)
}
