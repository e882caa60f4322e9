/**
 * HAProxy: a whole file for `haproxy -f`.
 */
import { beforeId, idsOn, idsOnAnyNode, type Node, type Plan, refusal, sandboxesPath } from './plan.ts'

export function haproxyFile({ nodes, listen, serverNames, tls }: Plan): string {
  const names = nodes.map(({ name }) => name).join('|')
  const inPath = (ids: string) => `{ path_reg ^${beforeId}${ids} }`
  const inKey = (ids: string) => `{ req.hdr(authorization) -m reg -i ^bearer\\ +us-${ids} }`
  const unknown = `http-request return status 421 content-type application/json string '${refusal(421, 'No node of this balancer has this sandbox')}'`
  return `# Understudy behind HAProxy. A sandbox lives on the node that its id and its key name; nothing moves it.
defaults
  mode http
  timeout connect 5s
  timeout http-request 60s
  # A stream may be silent for long.
  timeout client 1h
  timeout server 1h
  # Less than the five seconds for which a node keeps an idle connection: none is used while it is being closed.
  timeout http-keep-alive 4s
  http-reuse never
  # Events leave as they come.
  option http-no-delay
  # An injected reset is an answer: it must neither be tried elsewhere nor take a node out of use.
  retries 0
  no option redispatch

frontend understudy
  bind ${listen.host === '0.0.0.0' ? '*' : listen.host}:${listen.port}${tls ? ` ssl crt ${tls.certificate}` : ''}
${tls ? `  # HAProxy reads the key from the file of the certificate, or from ${tls.certificate}.key.\n` : ''}  http-request set-header X-Forwarded-Proto ${tls ? 'https' : 'http'}
${serverNames.length > 0 ? `  http-request deny unless { req.hdr(host),field(1,:) -i ${serverNames.join(' ')} }\n` : ''}
  # The node in the path of a request, or else in its key, or else the first one, which has the default sandbox.
  acl has_path_of_node path_reg ^${beforeId}${idsOnAnyNode}
  acl has_key_of_node req.hdr(authorization) -m reg -i ^bearer\\ +us-${idsOnAnyNode}
  ${unknown} if has_path_of_node !${inPath(`(${names})s[0-9]+x`)}
  ${unknown} if !has_path_of_node has_key_of_node !${inKey(`(${names})s[0-9]+x`)}
  use_backend any_node if { path ${sandboxesPath} }
${nodes.map((node) => `  use_backend ${node.name} if ${inPath(idsOn(node))}`).join('\n')}
${nodes.map((node) => `  use_backend ${node.name} if !has_path_of_node ${inKey(idsOn(node))}`).join('\n')}
  default_backend ${nodes[0].name}

${nodes.map(backend).join('\n')}
# A new sandbox may be made on any node that takes one.
backend any_node
  balance roundrobin
  retries ${nodes.length}
  option redispatch 1
  retry-on conn-failure 503
${nodes.map(({ name, address }) => `  server ${name} ${address}`).join('\n')}
`
}

function backend({ name, address }: Node): string {
  const text = refusal(502, `Node ${name} is gone or closed the connection: it alone had this sandbox`)
  const errors = [502, 503, 504].map(
    (status) =>
      `  http-error status ${status} content-type application/json string '${text.replace('502', String(status))}' hdr x-understudy-node ${name}`,
  )
  return `backend ${name}\n${errors.join('\n')}\n  server ${name} ${address}\n`
}
