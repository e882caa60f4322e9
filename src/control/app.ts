/**
 * The control API, under `/__understudy`: every declared route, in Hono. Loaded when the first request for it comes.
 */
import type { IncomingMessage, RequestListener } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { checkParts } from '../gateway/check.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { GatewayError } from '../http/errors.ts'
import { assertJsonBody, parseJsonBody } from '../http/json-body.ts'
import { json, type Reply } from '../http/reply.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { ScenarioError } from '../scenarios/check-scenario.ts'
import { refuse, send } from '../server/send.ts'
import { EventFeed } from './event-feed.ts'
import { Handles } from './handles.ts'
import type { ControlContext, ControlRoute } from './route.ts'
import { controlRoutes } from './routes/index.ts'

type ControlApp = Hono<{ Bindings: HttpBindings }>
type ControlRequest = Context<{ Bindings: HttpBindings }>

/** Reads a body as text. Throws 413 where it is longer than so many bytes. */
export type ReadBody = (request: IncomingMessage, limit: number) => Promise<string>

/** What a route is given that has nothing to do with the request. */
type ServerContext = Omit<ControlContext, 'params' | 'query' | 'body' | 'origin' | 'signal' | 'outgoing'>

export interface ControlSetup extends Pick<ControlContext, 'gateway' | 'directOrigin' | 'metrics'> {
  readonly readBody: ReadBody
  /** Is called when the server stops. */
  readonly onClose: (close: () => void) => void
}

export function toListener(setup: ControlSetup): RequestListener {
  const app = toApp(setup)
  return getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  })
}

function toApp({ readBody: read, onClose, ...setup }: ControlSetup): ControlApp {
  const app: ControlApp = new Hono<{ Bindings: HttpBindings }>().basePath('/__understudy')
  const server: ServerContext = {
    ...setup,
    routes: controlRoutes,
    snapshots: new Handles(),
    events: new EventFeed(setup.gateway.sandboxes.listeners),
  }
  onClose(() => server.events.close())
  for (const route of controlRoutes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1')
    app.on(route.method.toUpperCase(), path, (context) => answer(route, context, server, read))
  }
  app.notFound((context) => {
    refuse(context.env.outgoing, unknownRoute(context))
    return RESPONSE_ALREADY_SENT
  })
  app.onError((error, context) => {
    refuse(context.env.outgoing, asRefusal(error))
    return RESPONSE_ALREADY_SENT
  })
  return app
}

/** Straight to the socket: to make a `Response` and to read it again takes longer than all the rest. */
async function answer(
  route: ControlRoute,
  context: ControlRequest,
  server: ServerContext,
  read: ReadBody,
): Promise<Response> {
  const { incoming, outgoing } = context.env
  const sent = route.body && (await readBody(route.body, context, server.gateway, read))
  const search = /\?.*/.exec(incoming.url ?? '')?.[0] ?? ''
  const { params, query, body } = checkParts(route, { params: context.req.param(), search, body: sent })
  const scheme = incoming.headers['x-forwarded-proto'] === 'https' ? 'https' : 'http'
  const origin = `${scheme}://${incoming.headers.host}`
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  const result = await route.run({ ...server, params, query, body, origin, signal: left.signal, outgoing })
  if (route.isStream || outgoing.destroyed) return RESPONSE_ALREADY_SENT
  send(outgoing, toReply(route, result))
  return RESPONSE_ALREADY_SENT
}

function toReply({ response, status: declared, type }: ControlRoute, result: unknown): Reply {
  const status = declared ?? 200
  if (type !== undefined)
    return {
      status,
      headers: { 'content-type': type },
      body: { kind: 'json', value: result, text: String(result) },
    }
  return response ? json(status, result) : nothing
}

const nothing: Reply = { status: 204, headers: {}, body: { kind: 'none' } }

/** JSON that says it is JSON: a page of another origin cannot send that without asking first. */
async function readBody(
  schema: NonNullable<ControlRoute['body']>,
  context: ControlRequest,
  { options }: GatewayCore,
  read: ReadBody,
): Promise<unknown> {
  const { incoming } = context.env
  const text = await read(incoming, options.maxBodyBytes)
  // Its end is still to be read: where nobody does, Hono sets timers to do it.
  incoming.resume()
  if (text === '' && schema.safeParse(undefined).success) return undefined
  // Not by way of the context, which would make a whole `Headers` for it.
  const type = incoming.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (text !== '' && type !== 'application/json')
    throw new GatewayError(415, `Unsupported media type '${type ?? ''}': send application/json`)
  const body = parseJsonBody(text)
  assertJsonBody(text, body)
  return body
}

function unknownRoute({ req: { method, path } }: ControlRequest): GatewayError {
  const asked = `${method} ${path.replace(/^\/__understudy/, '')}`
  const near = nearest(
    asked,
    controlRoutes.map((route) => `${route.method.toUpperCase()} ${route.path}`),
  )
  const hint = near
    ? `did you mean ${near.replace(' ', ' /__understudy')}?`
    : 'see /__understudy/openapi.json'
  return new GatewayError(404, `No control route ${method} ${path}: ${hint}`)
}

/** A scenario that cannot be used is the caller's mistake. */
function asRefusal(error: Error): Error {
  if (!(error instanceof ScenarioError)) return error
  return new GatewayError(400, error.message, { problems: error.problems })
}
