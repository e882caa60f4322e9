/**
 * A route of the control API is a declared value, like an operation: routing, checks and the OpenAPI document derive
 * from it.
 */
import type { ServerResponse } from 'node:http'
import * as z from 'zod'
import type { Metrics } from '../extras/metrics/metrics.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SandboxSnapshot } from '../sandbox/sandbox-host.ts'
import type { EventFeed } from './event-feed.ts'
import type { Handles } from './handles.ts'
import { type RouteId, routePaths } from './route-paths.ts'

export interface ControlContext<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly gateway: GatewayCore
  /** Figures of the server. */
  readonly metrics: Metrics
  /** Every route that there is. */
  readonly routes: readonly ControlRoute[]
  /** Aborts when the caller has left. */
  readonly signal: AbortSignal
  /** Where the caller reaches the server: `http://127.0.0.1:4141`. */
  readonly origin: string
  /** Where this very server is reached, past any balancer; undefined where nobody said. */
  readonly directOrigin: string | undefined
  /** What was given out by its id. */
  readonly snapshots: Handles<SandboxSnapshot>
  /** Who follows the calls. */
  readonly events: EventFeed
  /** For a route that answers by itself. */
  readonly outgoing: ServerResponse
}

interface Declaration {
  /** In `route-paths.ts`, where its method and its path stand. */
  readonly id: RouteId
  readonly summary: string
  readonly tag: string
  /** Default: 200; 204 where there is no `response`. */
  readonly status?: 201
  /** The content type of a reply that is text. Default: `application/json`. */
  readonly type?: string
  /** Whether `run` answers by itself. Default: false. */
  readonly isStream?: true
  /** The whole body of the reply. */
  readonly response?: z.ZodType
}

export interface ControlRoute extends Declaration {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Below `/__understudy`, with parameters in braces. */
  readonly path: string
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  readonly body?: z.ZodType
  run(context: ControlContext): unknown
}

type Shapes<Params, Query, Body> = { readonly params?: Params; readonly query?: Query; readonly body?: Body }

/** Declares a route of the whole gateway. */
export function gatewayRoute<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType>(
  route: Declaration &
    Shapes<Params, Query, Body> & {
      run(context: ControlContext<z.infer<Params>, z.infer<Query>, z.infer<Body>>): unknown
    },
): ControlRoute {
  const [method = '', path = ''] = routePaths[route.id].split(' ')
  // Exact in its own types; whoever calls it has checked, and needs none of them.
  return { ...route, method: method.toLowerCase(), path } as unknown as ControlRoute
}

/** Declares a route of one sandbox, which is in use meanwhile: `{sandbox}` of its path. */
export function sandboxRoute<Params extends z.ZodRawShape, Query extends z.ZodType, Body extends z.ZodType>(
  route: Declaration & {
    readonly params?: Params
    readonly query?: Query
    readonly body?: Body
    run(
      sandbox: Sandbox,
      context: ControlContext<z.infer<z.ZodObject<Params>>, z.infer<Query>, z.infer<Body>>,
    ): unknown
  },
): ControlRoute {
  const sandboxId = z
    .string()
    .min(1)
    .describe('The id of a sandbox; `default` serves every key that is no sandbox’s.')
  const run = async (context: ControlContext<{ sandbox: string }>) => {
    const sandbox = context.gateway.sandboxes.find(context.params.sandbox)
    return sandbox.busy(() => route.run(sandbox, context as never))
  }
  return gatewayRoute({
    ...route,
    params: z.object({ sandbox: sandboxId, ...route.params }),
    run: run as never,
  })
}
