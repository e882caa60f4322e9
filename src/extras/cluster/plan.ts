/**
 * What a configuration is printed for: the nodes, and where the balancer listens.
 */
import { nodeNameForm } from '../../sandbox/sandbox-id.ts'

export interface Node {
  /** As the node was started with `--node`. */
  readonly name: string
  /** `127.0.0.1:4141` */
  readonly address: string
}

export interface Plan {
  /** At least one. Requests that name no sandbox go to the first. */
  readonly nodes: readonly [Node, ...Node[]]
  /** Where the balancer listens. */
  readonly listen: { readonly host: string; readonly port: number }
  /** Names under which the balancer is called; empty for any. */
  readonly serverNames: readonly string[]
  /** Files of a certificate and its key; undefined for plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined
}

/** A regular expression of the ids of the sandboxes on a node, from their beginning: `n3s[0-9]+x`. */
export function idsOn({ name }: Pick<Node, 'name'>): string {
  return `${name}s[0-9]+x`
}

/** The same for a node of any name. */
export const idsOnAnyNode = '[a-z]+[0-9]+s[0-9]+x'

/** What stands before the id of a sandbox in a path: of the API, or of the control API. */
export const beforeId = '/(__understudy/)?sandboxes/'

/** Where sandboxes are made. */
export const sandboxesPath = '/__understudy/sandboxes'

/** The body of an answer of the balancer's own. */
export function refusal(status: number, message: string): string {
  return JSON.stringify({ error: { code: status, message } })
}

/** Reads `n1=127.0.0.1:4141`. Throws one clear line. */
export function parseNode(text: string): Node {
  const [, name = '', address = ''] = /^([^=]*)=(.*)$/.exec(text) ?? []
  if (!nodeNameForm.test(name) || !/^([\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(address))
    throw new Error(`'${text}' is not of the form n1=127.0.0.1:4141`)
  return { name, address }
}

/** Throws one clear line where two nodes share a name or an address. */
export function assertDistinct(nodes: readonly Node[]): void {
  for (const field of ['name', 'address'] as const) {
    const values = nodes.map((node) => node[field])
    const twice = values.find((value, place) => values.indexOf(value) !== place)
    if (twice !== undefined) throw new Error(`Two nodes have the ${field} '${twice}'`)
  }
}
