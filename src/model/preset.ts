/**
 * `@preset/<slug>` as a model: it brings the preset's configuration and system prompt. The request's own fields
 * come first, and the preset fills in what is left.
 */
import { GatewayError, invalidRequest } from '../http/errors.ts'
import { toViolations } from '../http/violations.ts'
import type { ResolverContext } from '../operation.ts'
import { CreateResponseBody } from '../resources/create-response-body.ts'
import { isOnline, withoutOnline } from './search/search-request.ts'

export interface EffectiveRequest {
  /** The request with what its preset brings. Its `model` is what was asked for. */
  body: CreateResponseBody
  /** The model that answers. */
  model: string
}

const prefix = '@preset/'

type PresetContext = Pick<ResolverContext, 'sandbox' | 'assume' | 'warn'>

/** Throws 404 where the model is a preset that is unknown; one that is not active answers, with a warning. */
export async function applyPreset(
  body: CreateResponseBody,
  context: PresetContext,
): Promise<EffectiveRequest> {
  return body.model.startsWith(prefix) ? withPreset(body, context) : { body, model: body.model }
}

async function withPreset(
  body: CreateResponseBody,
  { sandbox, assume, warn }: PresetContext,
): Promise<EffectiveRequest> {
  const { presets, presetVersions } = sandbox.tables
  assume('presetModel')
  const slug = withoutOnline(body.model).slice(prefix.length)
  const preset = await presets.findBy('slug', slug)
  if (!preset) {
    assume('notFound')
    throw new GatewayError(404)
  }
  if (preset.status !== 'active') {
    assume('presetStatus')
    warn(`The preset '${slug}' is ${preset.status}`)
  }
  const version = await presetVersions.findBy('id', preset.designated_version_id)
  const { model = body.model, ...settings } = version?.config ?? {}
  if (Object.keys(settings).some((key) => key !== 'temperature')) assume('presetConfig')
  const own = Object.entries(body).filter(([, value]) => value !== undefined && value !== null)
  const merged = { ...settings, instructions: version?.system_prompt, ...Object.fromEntries(own) }
  return {
    body: checked(merged),
    model: isOnline(body.model) && !isOnline(model) ? `${model}:online` : model,
  }
}

/** Each field is as it may be: the preset's were checked when it was stored. Together they may still not go. */
function checked(merged: object): CreateResponseBody {
  const result = CreateResponseBody.safeParse(merged)
  if (!result.success) throw invalidRequest(toViolations(result.error, 'body'))
  return result.data
}
