/** Describes the input for a load balancer configuration: the nodes and the balancer's address. */
import { nodeNameForm } from '../../sandbox/sandbox-id.ts'

export interface Node {
  /** Node name, as in `--node`. */
  readonly name: string
  /** Host and port, such as `127.0.0.1:4141`. */
  readonly address: string
}

export interface Plan {
  /** Nodes, at least one. Requests that do not select a sandbox are sent to the first. */
  readonly nodes: readonly [Node, ...Node[]]
  /** Address that the balancer listens on. */
  readonly listen: { readonly host: string; readonly port: number }
  /** The balancer's host names. If empty, any host name is accepted. */
  readonly serverNames: readonly string[]
  /** Paths of the certificate and key; undefined for plain HTTP. */
  readonly tls: { readonly certificate: string; readonly key: string } | undefined
}

/** Returns a regular expression for the sandbox id prefix on a node, such as `n3s[0-9]+x`. */
export function idsOn({ name }: Pick<Node, 'name'>): string {
  return `${name}s[0-9]+x`
}

/** Regular expression for the sandbox id prefix on any node. */
export const idsOnAnyNode = '[a-z]+[0-9]+s[0-9]+x'

/** Regular expression for the path before a sandbox id, in the API and in the control API. */
export const idPathPrefix = '/(__understudy/)?sandboxes/'

/** Path for creating sandboxes. */
export const sandboxesPath = '/__understudy/sandboxes'

/** Returns the body of an error that the balancer itself sends. */
export function refusal(status: number, message: string): string {
  return JSON.stringify({ error: { code: status, message } })
}

/** Parses `n1=127.0.0.1:4141`. Throws a one-line error. */
export function parseNode(text: string): Node {
  const [, name = '', address = ''] = /^([^=]*)=(.*)$/.exec(text) ?? []
  if (!nodeNameForm.test(name) || !/^([\w.-]+|\[[\da-f:]+\]):\d{1,5}$/i.test(address))
    throw new Error(`'${text}' is not a node: write a name and an address, such as n1=127.0.0.1:4141`)
  return { name, address }
}

/** Throws if two nodes share a name or an address. */
export function assertDistinct(nodes: readonly Node[]): void {
  for (const field of ['name', 'address'] as const) {
    const values = nodes.map((node) => node[field])
    const duplicate = values.find((value, index) => values.indexOf(value) !== index)
    if (duplicate !== undefined) throw new Error(`Two nodes have the ${field} '${duplicate}'`)
  }
}
