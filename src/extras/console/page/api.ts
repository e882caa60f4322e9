/**
 * The control API, asked from the page that it serves.
 */
import { signal } from '@preact/signals'

const tokenKey = 'understudy-token'

/** Whether the server wants a token that it has not got. */
export const needsToken = signal(false)

/** A refusal, with the server's own words. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Kept for this tab alone, and until it is closed. */
export function saveToken(token: string): void {
  sessionStorage.setItem(tokenKey, token)
  needsToken.value = false
}

export async function send(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Response> {
  const token = sessionStorage.getItem(tokenKey)
  const response = await fetch(`/__understudy${path}`, {
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  })
  if (response.ok) return response
  if (response.status === 401) needsToken.value = true
  throw new Refusal(response.status, messageIn(await response.text(), response.status))
}

/** The `data` of a reply; nothing where it has no body. */
export async function ask<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  const response = await send(method, path, body)
  const text = await response.text()
  // The routes are declared on the other side, with schemas that these types come from.
  return (text === '' ? undefined : JSON.parse(text).data) as Data
}

export function below(sandbox: string, path = ''): string {
  return `/sandboxes/${encodeURIComponent(sandbox)}${path}`
}

function messageIn(text: string, status: number): string {
  try {
    return JSON.parse(text).error.message
  } catch {
    return `The server answered ${status}`
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
