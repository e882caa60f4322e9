/**
 * Generates a complete nginx configuration, for `nginx -c`. It does not require root.
 */
import { idPathPrefix, idsOn, idsOnAnyNode, type Node, type Plan, refusal, sandboxesPath } from './plan.ts'

export function nginxFile({ nodes, listen, serverNames, tls }: Plan): string {
  // The name includes the port, so that two balancers can run on one machine.
  const scratch = `/tmp/understudy-nginx-${listen.port}`
  return `# Understudy behind nginx. The id and the key of a sandbox name its node. Sandboxes never move.
worker_processes auto;
worker_rlimit_nofile 65536;
pid ${scratch}.pid;
error_log stderr warn;

events {
  worker_connections 16384;
}

http {
  access_log off;
  client_body_temp_path ${scratch}-body;
  proxy_temp_path ${scratch}-proxy;
  fastcgi_temp_path ${scratch}-fastcgi;
  uwsgi_temp_path ${scratch}-uwsgi;
  scgi_temp_path ${scratch}-scgi;

  # Select the node in the path, else the node in the key, else the first node, which has the default sandbox.
  map $request_uri $node_in_path {
    default "";
${nodes.map((node) => `    "~^${idPathPrefix}${idsOn(node)}" ${node.name};`).join('\n')}
    "~^${idPathPrefix}${idsOnAnyNode}" unknown;
  }
  map $http_authorization $node_in_key {
    default ${nodes[0].name};
${nodes.map((node) => `    "~*^bearer +us-${idsOn(node)}" ${node.name};`).join('\n')}
    "~*^bearer +us-${idsOnAnyNode}" unknown;
  }
  map $node_in_path $node {
    default $node_in_path;
    "" $node_in_key;
  }

${upstreams(nodes)}

  server {
    listen ${listen.host === '0.0.0.0' ? '' : `${listen.host}:`}${listen.port}${tls ? ' ssl' : ''};
    server_name ${serverNames.join(' ') || '_'};
${tls ? `    ssl_certificate ${tls.certificate};\n    ssl_certificate_key ${tls.key};\n` : ''}
    # Forward requests and replies unchanged and unbuffered. The nodes validate them.
    client_max_body_size 0;
    merge_slashes off;
    underscores_in_headers on;
    large_client_header_buffers 8 32k;
    keepalive_requests 1000000;
    tcp_nodelay on;
    gzip off;
    proxy_http_version 1.1;
    proxy_set_header Host $http_host;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_buffering off;
    proxy_request_buffering off;

    # Streams may be idle for a long time.
    proxy_connect_timeout 5s;
    proxy_read_timeout 1h;
    proxy_send_timeout 1h;
    send_timeout 1h;

    # An injected reset is a valid reply: do not retry it on another node or mark the node as down.
    proxy_next_upstream off;

    location / {
      if ($node = unknown) {
        return 421 '${refusal(421, 'This sandbox is not on any node behind this load balancer')}';
      }
      default_type application/json;
      proxy_pass http://$node;
      error_page 502 504 = @no_answer;
    }

    # Create new sandboxes on any node that is ready.
    location = ${sandboxesPath} {
      proxy_pass http://any_node;
      proxy_next_upstream error timeout http_503 non_idempotent;
    }

    location @no_answer {
      default_type application/json;
      add_header x-understudy-node $node always;
      return 502 '${refusal(502, 'Node $node, which owns this sandbox, is down or closed the connection')}';
    }
  }
}
`
}

function upstreams(nodes: readonly Node[]): string {
  const each = nodes.map(
    ({ name, address }) => `  upstream ${name} {
    server ${address} max_fails=0;
    # Shorter than the five seconds after which a node closes idle connections.
    keepalive 256;
    keepalive_timeout 4s;
  }`,
  )
  const any = nodes.map(({ address }) => `    server ${address} max_fails=0;`)
  return [...each, `  upstream any_node {\n${any.join('\n')}\n  }`].join('\n')
}
