/**
 * Fallback models: if the first model of a request is rejected or fails, the next one is tried.
 */
import * as z from 'zod'
import { fieldsOf, listOf } from '../lib/loose-reading.ts'
import { CreateResponseBody } from '../resources/create-response-body.ts'

/** Maximum number of fallback models, because each can cost a full answer. */
const maxModels = 20

/** Schema of the field `models`. */
export function fallbackModels() {
  return z
    .array(CreateResponseBody.unwrap().shape.model)
    .min(1)
    .max(maxModels)
    .nullish()
    .describe('Fallback models after `model`, tried in order if the previous one is rejected or fails.')
}

/** Returns the models of an unchecked body in the order they are tried; undefined if it has no fallbacks. */
export function modelsIn(body: unknown): readonly string[] | undefined {
  const { model, models } = fieldsOf(body)
  const others = listOf(models)
  if (others.length === 0) return undefined
  const named = [model, ...others].slice(0, maxModels + 1)
  return [...new Set(named.filter((name) => typeof name === 'string'))]
}
