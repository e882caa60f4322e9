/** Sends requests, validates replies, and scripts a tool call. */
import * as z from 'zod'
import type { Sandbox } from '../../../../src/index.ts'
import type { Target } from './app.ts'
import { Failure, statusFailure } from './persist.ts'

export const model = 'aurora/dawn-2'

export function post(target: Target, path: string, body: object, init: RequestInit = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${target.apiKey}`,
    'content-type': 'application/json',
    ...init.headers,
  }
  return target.fetch(target.baseUrl + path, { ...init, method: 'POST', headers, body: JSON.stringify(body) })
}

export function scriptTool(sandbox: Sandbox, name: string, args: object, text: string): void {
  const call = { type: 'function_call' as const, name, arguments: JSON.stringify(args) }
  sandbox.reply({ output: [call] }, { when: { turn: 'first' } })
  sandbox.reply(text, { when: { turn: 'tool-result' } })
}

export async function assertOk(response: Response): Promise<Response> {
  if (!response.ok) throw statusFailure(response.status, response.headers, await response.text())
  return response
}

const Problem = z.object({ error: z.object({ code: z.unknown().optional() }) })

export function assertNoError(json: unknown): void {
  const { data } = Problem.safeParse(json)
  if (data) throw statusFailure(typeof data.error.code === 'number' ? data.error.code : 500)
}

const cuts = ['length', 'content_filter', 'max_tokens', 'max_output_tokens', 'refusal']

export function assertWhole(reason: unknown, ...whole: string[]): void {
  if (cuts.includes(String(reason))) throw new Failure(`The answer is incomplete: ${reason}`)
  if (!whole.includes(String(reason))) throw new Failure('The answer ended early', { retryable: true })
}

const Answer = z.object({
  status: z.string(),
  incomplete_details: z.object({ reason: z.string() }).nullish(),
  output: z.array(z.unknown()),
})

export function outputOf(response: unknown): unknown[] {
  assertNoError(response)
  const { status, incomplete_details, output } = Answer.parse(response)
  assertWhole(incomplete_details?.reason ?? status, 'completed')
  return output
}

export const Text = z.object({ type: z.literal('output_text'), text: z.string().min(1) })
export const Message = z.object({ type: z.literal('message'), content: z.array(Text).min(1) })

export function textOf(response: unknown): string {
  const [{ content }] = z.tuple([Message]).parse(outputOf(response))
  return content.map(({ text }) => text).join('')
}

const Choice = z.object({
  delta: z.object({ content: z.string().nullish() }),
  finish_reason: z.string().nullish(),
})
export const Chunk = z.object({ choices: z.array(Choice).optional() })
