/**
 * Generates a complete HAProxy configuration, for `haproxy -f`.
 */
import { idPathPrefix, idsOn, idsOnAnyNode, type Node, type Plan, refusal, sandboxesPath } from './plan.ts'

export function haproxyFile({ nodes, listen, serverNames, tls }: Plan): string {
  const names = nodes.map(({ name }) => name).join('|')
  const inPath = (ids: string) => `{ path_reg ^${idPathPrefix}${ids} }`
  const inKey = (ids: string) => `{ req.hdr(authorization) -m reg -i ^bearer\\ +us-${ids} }`
  const unknown = `http-request return status 421 content-type application/json string '${refusal(421, 'This sandbox is not on any node behind this load balancer')}'`
  return `# Understudy behind HAProxy. The id and the key of a sandbox name its node. Sandboxes never move.
defaults
  mode http
  timeout connect 5s
  timeout http-request 60s
  # Streams may be idle for a long time.
  timeout client 1h
  timeout server 1h
  # Shorter than the five seconds after which a node closes idle connections.
  timeout http-keep-alive 4s
  http-reuse never
  # Forward events immediately.
  option http-no-delay
  # An injected reset is a valid reply: do not retry it on another node or mark the node as down.
  retries 0
  no option redispatch

frontend understudy
  bind ${listen.host === '0.0.0.0' ? '*' : listen.host}:${listen.port}${tls ? ` ssl crt ${tls.certificate}` : ''}
${tls ? `  # HAProxy reads the private key from the certificate file or from ${tls.certificate}.key.\n` : ''}  http-request set-header X-Forwarded-Proto ${tls ? 'https' : 'http'}
${serverNames.length > 0 ? `  http-request deny unless { req.hdr(host),field(1,:) -i ${serverNames.join(' ')} }\n` : ''}
  # Select the node in the path, else the node in the key, else the first node, which has the default sandbox.
  acl has_path_of_node path_reg ^${idPathPrefix}${idsOnAnyNode}
  acl has_key_of_node req.hdr(authorization) -m reg -i ^bearer\\ +us-${idsOnAnyNode}
  ${unknown} if has_path_of_node !${inPath(`(${names})s[0-9]+x`)}
  ${unknown} if !has_path_of_node has_key_of_node !${inKey(`(${names})s[0-9]+x`)}
  use_backend any_node if { path ${sandboxesPath} }
${nodes.map((node) => `  use_backend ${node.name} if ${inPath(idsOn(node))}`).join('\n')}
${nodes.map((node) => `  use_backend ${node.name} if !has_path_of_node ${inKey(idsOn(node))}`).join('\n')}
  default_backend ${nodes[0].name}

${nodes.map(backend).join('\n')}
# Create new sandboxes on any node that is ready.
backend any_node
  balance roundrobin
  retries ${nodes.length}
  option redispatch 1
  retry-on conn-failure 503
${nodes.map(({ name, address }) => `  server ${name} ${address}`).join('\n')}
`
}

function backend({ name, address }: Node): string {
  const text = refusal(502, `Node ${name}, which owns this sandbox, is down or closed the connection`)
  const errors = [502, 503, 504].map(
    (status) =>
      `  http-error status ${status} content-type application/json string '${text.replace('502', String(status))}' hdr x-understudy-node ${name}`,
  )
  return `backend ${name}\n${errors.join('\n')}\n  server ${name} ${address}\n`
}
