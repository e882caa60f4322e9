/** Declares control operations. Routes, validation and the OpenAPI document are derived from the declarations. */
import * as z from 'zod'
import type { Call } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { json, type Reply } from '../http/reply.ts'
import type { AnyOperation, OperationInput } from '../operation.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { EventFeed } from './event-feed.ts'

/** State that all control operations on a server share. */
export interface ControlHost {
  readonly gateway: GatewayCore
  readonly operations: readonly ControlOperation[]
  readonly events: EventFeed
}

/** A control request's input. Parameters, query and body have been validated. */
export interface ControlContext<Params = unknown, Query = unknown, Body = unknown> extends ControlHost {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly call: Call
  /** Origin that the client used, such as `http://127.0.0.1:4141`. */
  readonly origin: string
}

interface Declaration extends Pick<AnyOperation, 'id' | 'doc'> {
  /** Method, and path relative to `/__understudy`, such as `GET /sandboxes/{sandbox}`. */
  readonly route: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  /** Remote sandbox method that calls this operation without arguments, such as `usage`. Default: none. */
  readonly remote?: string
  /** Reply schema. Default: none; replies have no body. */
  readonly output?: z.ZodType
}

export type ControlOperation = AnyOperation & Pick<Declaration, 'remote'>

const emptyOutput = z.undefined()
const noContent: Reply = { status: 204, headers: {}, body: { kind: 'none' } }

/**
 * Declares an operation on the whole gateway.
 *
 * @param declaration.resolve Returns the reply's body, or a whole `Reply`.
 */
export function gatewayOperation<Params, Query, Body>(
  declaration: Declaration & {
    readonly input?: OperationInput<Params, Query, Body>
    resolve(context: ControlContext<Params, Query, Body>): unknown
  },
): ControlOperation {
  const { route, doc, output = emptyOutput, resolve } = declaration
  const [method = '', path = ''] = route.split(' ')
  return {
    ...declaration,
    output,
    method: method.toLowerCase() as AnyOperation['method'],
    path,
    async resolve(context: ControlContext<Params, Query, Body>): Promise<Reply> {
      const result = await resolve(context)
      if (output === emptyOutput) return noContent
      if (typeof result === 'object' && result !== null && 'status' in result) return result as Reply
      const reply = json(doc?.status ?? 200, result)
      if (!doc?.type) return reply
      const body = { kind: 'json', value: result, text: String(result) } as const
      return { ...reply, headers: { 'content-type': doc.type }, body }
    },
  }
}

const sandboxId = z
  .string()
  .min(1)
  .describe('Sandbox id. `default` handles requests whose key does not belong to another sandbox.')

/**
 * Declares an operation on the sandbox that the path names in `{sandbox}`. The sandbox counts as busy during the
 * request.
 */
export function sandboxOperation<Params extends z.ZodRawShape, Query, Body>(
  declaration: Declaration & {
    readonly input?: Omit<OperationInput<unknown, Query, Body>, 'params'> & { readonly params?: Params }
    resolve(sandbox: Sandbox, context: ControlContext<z.infer<z.ZodObject<Params>>, Query, Body>): unknown
  },
): ControlOperation {
  const { input, resolve } = declaration
  return gatewayOperation({
    ...declaration,
    input: { ...input, params: z.object({ sandbox: sandboxId, ...input?.params }) },
    resolve(context) {
      const sandbox = context.gateway.sandboxes.find(context.params.sandbox)
      // The parameters include the sandbox id, which the declaration lacks.
      return sandbox.busy(() => resolve(sandbox, context as never))
    },
  })
}
