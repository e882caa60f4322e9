/**
 * nginx: a whole file, which `nginx -c` takes as it is, without root.
 */
import { beforeId, idsOn, idsOnAnyNode, type Node, type Plan, refusal, sandboxesPath } from './plan.ts'

export function nginxFile({ nodes, listen, serverNames, tls }: Plan): string {
  // Told apart by port, so that two balancers can run on one machine.
  const scratch = `/tmp/understudy-nginx-${listen.port}`
  return `# Understudy behind nginx. A sandbox lives on the node that its id and its key name; nothing moves it.
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

  # The node in the path of a request, or else in its key, or else the first one, which has the default sandbox.
  map $request_uri $node_in_path {
    default "";
${nodes.map((node) => `    "~^${beforeId}${idsOn(node)}" ${node.name};`).join('\n')}
    "~^${beforeId}${idsOnAnyNode}" unknown;
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
    server_name ${serverNames.length > 0 ? serverNames.join(' ') : '_'};
${tls ? `    ssl_certificate ${tls.certificate};\n    ssl_certificate_key ${tls.key};\n` : ''}
    # Requests and replies pass as they are, and as they come: the nodes check and refuse.
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

    # A stream may be silent for long.
    proxy_connect_timeout 5s;
    proxy_read_timeout 1h;
    proxy_send_timeout 1h;
    send_timeout 1h;

    # An injected reset is an answer: it must neither be tried elsewhere nor take a node out of use.
    proxy_next_upstream off;

    location / {
      if ($node = unknown) {
        return 421 '${refusal(421, 'No node of this balancer has this sandbox')}';
      }
      default_type application/json;
      proxy_pass http://$node;
      error_page 502 504 = @no_answer;
    }

    # A new sandbox may be made on any node that takes one.
    location = ${sandboxesPath} {
      proxy_pass http://any_node;
      proxy_next_upstream error timeout http_503 non_idempotent;
    }

    location @no_answer {
      default_type application/json;
      add_header x-understudy-node $node always;
      return 502 '${refusal(502, 'Node $node is gone or closed the connection: it alone had this sandbox')}';
    }
  }
}
`
}

function upstreams(nodes: readonly Node[]): string {
  const each = nodes.map(
    ({ name, address }) => `  upstream ${name} {
    server ${address} max_fails=0;
    # A node closes connections that are idle for five seconds: none is used while it is being closed.
    keepalive 256;
    keepalive_timeout 4s;
  }`,
  )
  const any = nodes.map(({ address }) => `    server ${address} max_fails=0;`)
  return [...each, `  upstream any_node {\n${any.join('\n')}\n  }`].join('\n')
}
