/**
 * Several models in one request: the first one answers, and where it is refused or fails, the next.
 */
import * as z from 'zod'
import { fieldsOf, listOf } from '../lib/loose-reading.ts'
import { CreateResponseBody } from '../resources/create-response-body.ts'

/** Each may cost a whole answer. */
const mostModels = 20

/** The field `models` of a request. */
export function fallbackModels() {
  return z
    .array(CreateResponseBody.unwrap().shape.model)
    .min(1)
    .max(mostModels)
    .nullish()
    .describe('Asked in order, behind `model`, each where the one before is refused or fails.')
}

/** The models of a body that nobody has checked, in the order in which they are asked; undefined where it has one. */
export function modelsIn(body: unknown): readonly string[] | undefined {
  const { model, models } = fieldsOf(body)
  const others = listOf(models)
  if (others.length === 0) return undefined
  const named = [model, ...others].slice(0, mostModels + 1)
  return [...new Set(named.filter((name) => typeof name === 'string'))]
}
