/** Declares control operations. Routes, validation and the OpenAPI document derive from them. */
import * as z from 'zod'
import type { Call } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { json, type Reply } from '../http/reply.ts'
import type { Journal } from '../journal/journal.ts'
import type { AnyOperation, OperationInput } from '../operation.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

export interface ControlHost {
  readonly gateway: GatewayCore
  readonly operations: readonly AnyOperation[]
}

export interface ControlContext<Params = unknown, Query = unknown, Body = unknown> extends ControlHost {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly call: Call
  /** Origin that the client used, such as `http://127.0.0.1:4141`. */
  readonly origin: string
}

/** Method, and path relative to `/__understudy`, such as `GET /sandboxes/{sandbox}`. */
type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

interface Declaration<Output> extends Pick<AnyOperation, 'doc'> {
  /** Reply schema. Default: none; replies have no body. */
  readonly output?: Output
  /** Method that the remote client derives from the operation. It takes the path's parameters. Default: none. */
  readonly remote?: RemoteMethod
}

/** Sandbox or journal method: `usage`, `journal.entries`. */
type RemoteMethod = (keyof Sandbox & string) | `journal.${keyof Journal & string}`

export interface ControlOperation<Id extends string = string, Output extends z.ZodType = z.ZodType>
  extends AnyOperation {
  readonly id: Id
  readonly output: Output
  readonly remote?: RemoteMethod
}

/** Returns a loose schema, for an object whose own schema describes its input, not its output. */
export const objectOf = <Value>() => z.looseObject({}) as unknown as z.ZodType<Value>

/** Declares an operation on the whole gateway. `resolve` returns the reply's body. */
export function gatewayOperation<
  const Id extends string,
  Params,
  Query,
  Body,
  Output extends z.ZodType = z.ZodUndefined,
>(
  id: Id,
  route: Route,
  declaration: Declaration<Output> & {
    readonly input?: OperationInput<Params, Query, Body>
    resolve(context: ControlContext<Params, Query, Body>): unknown
  },
): ControlOperation<Id, Output> {
  const { doc, output = z.undefined() as z.ZodType as Output, resolve } = declaration
  const [method = '', path = ''] = route.split(' ')
  return {
    ...declaration,
    id,
    output,
    method: method.toLowerCase() as AnyOperation['method'],
    path,
    async resolve(context: ControlContext<Params, Query, Body>): Promise<Reply> {
      const result = await resolve(context)
      if (output instanceof z.ZodUndefined) return { status: 204, headers: {}, body: { kind: 'none' } }
      return json(doc?.status ?? 200, result)
    },
  }
}

const sandboxId = z
  .string()
  .min(1)
  .describe('Sandbox id. `default` handles requests whose key does not belong to another sandbox.')

/** Declares an operation on the sandbox in the path. That sandbox counts as busy during the request. */
export function sandboxOperation<
  const Id extends string,
  Params extends z.ZodRawShape,
  Query,
  Body,
  Output extends z.ZodType = z.ZodUndefined,
>(
  id: Id,
  route: Route,
  declaration: Declaration<Output> & {
    readonly input?: Omit<OperationInput<unknown, Query, Body>, 'params'> & { readonly params?: Params }
    resolve(sandbox: Sandbox, context: ControlContext<z.infer<z.ZodObject<Params>>, Query, Body>): unknown
  },
): ControlOperation<Id, Output> {
  const { input, resolve } = declaration
  return gatewayOperation(id, route, {
    ...declaration,
    input: { ...input, params: z.object({ sandbox: sandboxId, ...input?.params }) },
    resolve(context) {
      const sandbox = context.gateway.sandboxes.find(context.params.sandbox)
      // The parameters include the sandbox id, which the declaration lacks.
      return sandbox.busy(() => resolve(sandbox, context as never))
    },
  })
}
