/** Calls control operations by id, with this tab's token. */
import { signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import {
  type CallOptions,
  ControlClient,
  type Data,
  type RouteId,
  type RouteParams,
} from '../../../control/client.ts'

const tokenKey = 'understudy-token'
const connect = () => new ControlClient(location.origin, sessionStorage.getItem(tokenKey) ?? undefined)
let client = connect()

/** Set if the server requires a token: `missing` if the page has none, `refused` if the server rejected it. */
export const tokenProblem = signal<'missing' | 'refused' | undefined>(undefined)
/** Number of requests that failed because their sandbox did not exist. */
export const goneCount = signal(0)

/** Stores the token until the tab is closed. */
export function saveToken(token: string): void {
  sessionStorage.setItem(tokenKey, token)
  client = connect()
  tokenProblem.value = undefined
}

/** Returns a whole reply. Throws the server's error. */
export async function askWhole<Id extends RouteId>(id: Id, params: RouteParams<Id>, sent?: CallOptions) {
  try {
    return await client.whole(id, params, sent)
  } catch (error) {
    throw noted(error as { status?: number })
  }
}

function noted<Failure extends { status?: number }>(error: Failure): Failure {
  const hasToken = sessionStorage.getItem(tokenKey) !== null
  if (error.status === 401) tokenProblem.value = hasToken ? 'refused' : 'missing'
  if (error.status === 410) goneCount.value++
  return error
}

/** Calls a control operation that only the console uses. Returns the `data` of its reply. */
export async function askConsole<Data>(line: `${'GET' | 'POST'} /${string}`, body?: object): Promise<Data> {
  const [method = '', path = ''] = line.split(' ')
  const token = sessionStorage.getItem(tokenKey)
  const response = await fetch(`${location.origin}/__understudy/console${path}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data, error } = await response.json()
  if (response.ok) return data
  throw noted(Object.assign(new Error(error.message), { status: response.status }))
}

/** Returns a reply's `data`; undefined if the reply has no body. Throws the server's error. */
export async function ask<Id extends RouteId>(
  id: Id,
  params: RouteParams<Id>,
  sent?: CallOptions,
): Promise<Data<Id>> {
  return ((await askWhole(id, params, sent)) as { data: Data<Id> }).data
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Returns the result of `load`, reloaded when the dependencies change. */
export function useLoaded<Value>(load: () => Promise<Value>, dependencies: readonly unknown[]) {
  const value = useSignal<Value | undefined>(undefined)
  const problem = useSignal('')
  const turn = useRef(0)
  const reload = () => {
    const mine = ++turn.current
    const settle = (loaded: Value | undefined, message: string) => {
      if (mine !== turn.current) return
      value.value = loaded
      problem.value = message
    }
    load().then(
      (loaded) => settle(loaded, ''),
      (error) => settle(undefined, messageOf(error)),
    )
  }
  useEffect(reload, dependencies)
  return { value: value.value, problem: problem.value, reload }
}
