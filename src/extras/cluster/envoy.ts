/**
 * Envoy: a static bootstrap for `envoy -c`.
 */
import { beforeId, type Engine, idsOn, idsOnAnyNode, type Node, refusal, sandboxesPath } from './plan.ts'

const extensions = 'type.googleapis.com/envoy.extensions'
/** Enough for a whole CI; Envoy's own bound is 1,024. */
const most = 100_000

export const envoy: Engine = {
  name: 'envoy',
  summary: 'a static bootstrap for envoy -c',
  takes: 'addresses',
  print({ nodes, listen, serverNames, tls }) {
    const domains = serverNames.length > 0 ? serverNames.flatMap((name) => [name, `${name}:*`]) : ['*']
    return `# Understudy behind Envoy. A sandbox lives on the node that its id and its key name; nothing moves it.
static_resources:
  listeners:
    - name: understudy
      address:
        socket_address: { address: ${JSON.stringify(listen.host)}, port_value: ${listen.port} }
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": ${extensions}.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: understudy
                # A stream may be silent for long.
                stream_idle_timeout: 0s
                request_timeout: 0s
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config:
                      "@type": ${extensions}.filters.http.router.v3.Router
                route_config:
                  name: understudy
                  virtual_hosts:
                    - name: understudy
                      domains: ${JSON.stringify(domains)}
                      # The node in the path of a request, or else in its key, or else the first one, which has
                      # the default sandbox. No retries: an injected reset is an answer.
                      routes:
                        # A new sandbox may be made on any node that takes one.
                        - match: { path: ${sandboxesPath} }
                          route:
                            cluster: any_node
                            timeout: 0s
                            retry_policy:
                              retry_on: connect-failure,retriable-status-codes
                              retriable_status_codes: [503]
                              num_retries: ${nodes.length}
${nodes.map((node) => route(pathMatch(idsOn(node)), node)).join('\n')}
${refuse(pathMatch(idsOnAnyNode))}
${nodes.map((node) => route(keyMatch(idsOn(node)), node)).join('\n')}
${refuse(keyMatch(idsOnAnyNode))}
${route('{ prefix: / }', nodes[0])}
${tls ? tlsSocket(tls) : ''}  clusters:
${[...nodes.map((node) => cluster(node.name, [node])), cluster('any_node', nodes)].join('\n')}
`
  },
}

const pathMatch = (ids: string) => `{ safe_regex: { regex: "${beforeId}${ids}.*" } }`

const keyMatch = (ids: string) =>
  `{ prefix: /, headers: [{ name: authorization, string_match: { safe_regex: { regex: "(?i)bearer +us-${ids}.*" } } }] }`

function route(match: string, { name }: Node): string {
  return `                        - match: ${match}
                          route: { cluster: ${name}, timeout: 0s }`
}

function refuse(match: string): string {
  const text = refusal(421, 'No node of this balancer has this sandbox')
  return `                        - match: ${match}
                          direct_response: { status: 421, body: { inline_string: '${text}' } }`
}

function tlsSocket({ certificate, key }: { certificate: string; key: string }): string {
  return `          transport_socket:
            name: envoy.transport_sockets.tls
            typed_config:
              "@type": ${extensions}.transport_sockets.tls.v3.DownstreamTlsContext
              common_tls_context:
                tls_certificates:
                  - certificate_chain: { filename: ${JSON.stringify(certificate)} }
                    private_key: { filename: ${JSON.stringify(key)} }
`
}

function cluster(name: string, nodes: readonly Node[]): string {
  const endpoints = nodes.map(({ address }) => {
    const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? []
    return `              - endpoint:
                  address:
                    socket_address: { address: ${JSON.stringify(host)}, port_value: ${port} }`
  })
  return `    - name: ${name}
      type: STRICT_DNS
      connect_timeout: 5s
      circuit_breakers:
        thresholds:
          - { max_connections: ${most}, max_pending_requests: ${most}, max_requests: ${most} }
      typed_extension_protocol_options:
        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
          "@type": ${extensions}.upstreams.http.v3.HttpProtocolOptions
          # Less than the five seconds for which a node keeps an idle connection.
          common_http_protocol_options: { idle_timeout: 4s }
          explicit_http_config: { http_protocol_options: {} }
      load_assignment:
        cluster_name: ${name}
        endpoints:
          - lb_endpoints:
${endpoints.join('\n')}`
}
