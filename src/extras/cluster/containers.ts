/**
 * Nodes in containers: the image, and two ways to run several of them behind nginx.
 */
import { nginxFile } from './nginx.ts'
import { type Engine, indented, numberedNodes, type Plan } from './plan.ts'

/** On which port a node listens inside its container. */
const port = 4141

export const dockerfile: Engine = {
  name: 'dockerfile',
  summary: 'an image of one node: no root, nothing written to disk',
  takes: 'none',
  print: ({ version }) => `# One node. Every flag is a variable: UNDERSTUDY_SEED for --seed.
FROM node:24-alpine AS install
WORKDIR /app
RUN npm install --omit=dev --omit=peer --no-audit --no-fund gateway-understudy@${version}

FROM node:24-alpine
ENV NODE_ENV=production \\
    UNDERSTUDY_HOST=0.0.0.0 \\
    UNDERSTUDY_PORT=${port}
COPY --from=install /app /app
USER node
EXPOSE ${port}
HEALTHCHECK --interval=5s --timeout=2s --start-period=5s \\
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.UNDERSTUDY_PORT + '/__understudy/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/node_modules/gateway-understudy/dist/bin.js"]
`,
}

export const compose: Engine = {
  name: 'compose',
  summary: 'nodes and nginx, for docker compose -f',
  takes: 'number',
  print(plan) {
    const nodes = numberedNodes(plan.nodes.length, (ordinal) => `n${ordinal}:${port}`)
    const { listen, serverNames } = plan
    const names = ['gateway', ...serverNames].join(',')
    const inside = { ...plan, nodes, listen: { host: '0.0.0.0', port: 8080 }, tls: undefined }
    return `# Understudy on ${nodes.length} nodes behind nginx. Control requests carry the token in the file ./token.
services:
${nodes.map(({ name }) => service(name, plan, names)).join('\n')}
  gateway:
    image: nginx:1.29-alpine
    command: [nginx, -c, /etc/nginx/understudy.conf, -g, "daemon off;"]
    ports: ["${listen.host === '0.0.0.0' ? '' : `${listen.host}:`}${listen.port}:8080"]
    configs: [{ source: nginx, target: /etc/nginx/understudy.conf }]
    depends_on:
${nodes.map(({ name }) => `      ${name}: { condition: service_healthy }`).join('\n')}

configs:
  nginx:
    content: |
${indented(nginxFile(inside).replaceAll('$', '$$$$'), 6)}
secrets:
  token:
    file: ./token
`
  },
}

function service(name: string, { image }: Plan, names: string): string {
  return `  ${name}:
    image: ${image}
    read_only: true
    environment:
      UNDERSTUDY_NODE: ${name}
      UNDERSTUDY_ALLOWED_HOST: ${names}
      UNDERSTUDY_TOKEN_FILE: /run/secrets/token
      UNDERSTUDY_DRAIN_MS: "30000"
    secrets: [token]
    stop_grace_period: 40s`
}

export const kubernetes: Engine = {
  name: 'kubernetes',
  summary: 'a StatefulSet of nodes and a Deployment of nginx, for kubectl apply -f',
  takes: 'number',
  print(plan) {
    const { nodes: wanted, image, serverNames } = plan
    const nodes = numberedNodes(
      wanted.length,
      (ordinal) => `understudy-${ordinal}.understudy-nodes.default.svc.cluster.local:${port}`,
    )
    const inside = { ...plan, nodes, listen: { host: '0.0.0.0', port: 8080 }, tls: undefined }
    const file = nginxFile(inside, {
      resolver: 'kube-dns.kube-system.svc.cluster.local',
      anyNode: `understudy-ready.default.svc.cluster.local:${port}`,
    })
    const names = ['understudy', 'understudy.default', 'understudy.default.svc.cluster.local', ...serverNames]
    return `# Understudy on ${nodes.length} nodes behind nginx, in the namespace default. Control requests carry a token:
#   kubectl create secret generic understudy --from-literal=token="$(openssl rand -hex 24)"
apiVersion: v1
kind: Service
metadata: { name: understudy-nodes }
spec:
  clusterIP: None
  # The node of a living sandbox is called also while it drains.
  publishNotReadyAddresses: true
  selector: { app: understudy }
  ports: [{ name: http, port: ${port} }]
---
apiVersion: v1
kind: Service
metadata: { name: understudy-ready }
spec:
  selector: { app: understudy }
  ports: [{ name: http, port: ${port} }]
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: understudy }
spec:
  serviceName: understudy-nodes
  replicas: ${nodes.length}
  podManagementPolicy: Parallel
  selector: { matchLabels: { app: understudy } }
  template:
    metadata: { labels: { app: understudy } }
    spec:
      terminationGracePeriodSeconds: 60
      containers:
        - name: understudy
          image: ${image}
          env:
            - { name: UNDERSTUDY_NODE, value: auto }
            - { name: UNDERSTUDY_ALLOWED_HOST, value: "${names.join(',')}" }
            - { name: UNDERSTUDY_TOKEN_FILE, value: /run/secrets/understudy/token }
            - { name: UNDERSTUDY_DRAIN_MS, value: "45000" }
          ports: [{ name: http, containerPort: ${port} }]
          readinessProbe: { httpGet: ${probe('ready')}, periodSeconds: 2 }
          livenessProbe: { httpGet: ${probe('health')}, periodSeconds: 10 }
          securityContext:
            runAsNonRoot: true
            runAsUser: 1000
            readOnlyRootFilesystem: true
            allowPrivilegeEscalation: false
            capabilities: { drop: [ALL] }
          volumeMounts: [{ name: token, mountPath: /run/secrets/understudy, readOnly: true }]
      volumes: [{ name: token, secret: { secretName: understudy } }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: understudy-nginx }
data:
  understudy.conf: |
${indented(file, 4)}---
apiVersion: apps/v1
kind: Deployment
metadata: { name: understudy-nginx }
spec:
  replicas: 2
  selector: { matchLabels: { app: understudy-nginx } }
  template:
    metadata: { labels: { app: understudy-nginx } }
    spec:
      containers:
        - name: nginx
          image: nginx:1.29-alpine
          command: [nginx, -c, /etc/nginx/understudy/understudy.conf, -g, "daemon off;"]
          ports: [{ name: http, containerPort: 8080 }]
          volumeMounts: [{ name: configuration, mountPath: /etc/nginx/understudy, readOnly: true }]
      volumes: [{ name: configuration, configMap: { name: understudy-nginx } }]
---
apiVersion: v1
kind: Service
metadata: { name: understudy }
spec:
  selector: { app: understudy-nginx }
  ports: [{ name: http, port: 80, targetPort: http }]
`
  },
}

/** Its host is one that every node goes by. */
function probe(path: string): string {
  return `{ path: /__understudy/${path}, port: http, httpHeaders: [{ name: Host, value: localhost }] }`
}
