import * as z from 'zod'
import { fieldsOf, listOf } from '../lib/json.ts'
import { CreateResponseBody } from './create-response-body.ts'

/** Maximum number of fallback models, each of which may generate a full answer. */
const maxModels = 20

export function fallbackModels() {
  return z
    .array(CreateResponseBody.unwrap().shape.model)
    .min(1)
    .max(maxModels)
    .nullish()
    .describe('Fallback models, tried in order if `model` is rejected or fails.')
}

/** Returns the models in an unvalidated body, in order, or undefined if it has no fallback models. */
export function modelsIn(body: unknown): readonly string[] | undefined {
  const { model, models } = fieldsOf(body)
  const others = listOf(models)
  if (others.length === 0) return undefined
  const named = [model, ...others].slice(0, maxModels + 1)
  return [...new Set(named.filter((name) => typeof name === 'string'))]
}
