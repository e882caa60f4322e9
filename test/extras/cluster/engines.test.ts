/**
 * The texts that `deploy` prints. Real balancers read them in `test/extras/cluster`.
 */
import { describe, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { engines } from '../../../src/extras/cluster/engines.ts'
import { type Engine, type Node, type Plan, parseNode } from '../../../src/extras/cluster/plan.ts'

const nodes: [Node, Node] = [parseNode('n1=127.0.0.1:4141'), parseNode('n2=127.0.0.1:4142')]
const plan: Plan = {
  nodes,
  listen: { host: '0.0.0.0', port: 8080 },
  serverNames: [],
  tls: undefined,
  image: 'gateway-understudy:test',
  version: '1.2.3',
}
const printed = (name: string, changes: Partial<Plan> = {}) =>
  (engines.find((engine) => engine.name === name) as Engine).print({ ...plan, ...changes })

/** Every document of a YAML text, as data. */
function documents(text: string): Record<string, never>[] {
  return parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS({ maxAliasCount: 0 })
  })
}

describe('Every engine', () => {
  it.each(engines.map(({ name }) => name))('prints for %s a text that ends with a line break', (name) => {
    expect(printed(name)).toMatch(/\S\n$/)
    expect(printed(name)).not.toMatch(/undefined|\[object/)
  })

  // Beside this test, so that a change of what users run in production is read line by line.
  it.each(engines.map(({ name }) => name))('prints for %s what is kept in printed/', async (name) => {
    await expect(printed(name)).toMatchFileSnapshot(`printed/${name}.txt`)
    const tls = { certificate: '/etc/tls/gateway.pem', key: '/etc/tls/gateway.key' }
    const named = printed(name, { serverNames: ['gateway.example', 'api.example'], tls })
    await expect(named).toMatchFileSnapshot(`printed/${name}-tls.txt`)
  })
})

describe('nginx', () => {
  it('routes by path, then by key, and hashes nothing', () => {
    expect(printed('nginx')).toContain('"~^/(__understudy/)?sandboxes/n2s[0-9]+x" n2;')
    expect(printed('nginx')).toContain('"~*^bearer +us-n2s[0-9]+x" n2;')
    expect(printed('nginx')).not.toContain('hash')
  })

  it('neither buffers, nor retries, nor takes a node out of use', () => {
    for (const line of [
      'proxy_buffering off;',
      'proxy_next_upstream off;',
      'server 127.0.0.1:4142 max_fails=0;',
    ])
      expect(printed('nginx')).toContain(line)
  })

  it('takes names and TLS files', () => {
    const tls = { certificate: '/etc/tls/a.pem', key: '/etc/tls/a.key' }
    const text = printed('nginx', { tls, serverNames: ['understudy.example'] })
    expect(text).toContain('listen 8080 ssl;')
    expect(text).toContain('server_name understudy.example;')
    expect(text).toContain('ssl_certificate /etc/tls/a.pem;')
  })
})

describe('Envoy', () => {
  it('has a cluster for each node and one for new sandboxes, and no outlier detection', () => {
    type Bootstrap = { static_resources: { clusters: { name: string }[] } }
    const [bootstrap] = documents(printed('envoy')) as unknown as [Bootstrap]
    const names = bootstrap.static_resources.clusters.map(({ name }) => name)
    expect(names).toEqual(['n1', 'n2', 'any_node'])
    expect(printed('envoy')).not.toContain('outlier_detection')
  })
})

describe('Compose', () => {
  it('starts the nodes read-only, behind nginx with a file of its own', () => {
    const [file] = documents(printed('compose'))
    const { services, configs } = file as unknown as {
      services: Record<string, { read_only?: boolean; environment?: Record<string, string> }>
      configs: { nginx: { content: string } }
    }
    expect(Object.keys(services)).toEqual(['n0', 'n1', 'gateway'])
    expect(services['n0']).toMatchObject({ read_only: true, environment: { UNDERSTUDY_NODE: 'n0' } })
    // Compose reads two dollar signs as one.
    expect(configs.nginx.content).toContain('proxy_pass http://$$node;')
  })
})

describe('Kubernetes', () => {
  it('gives the nodes to a StatefulSet, whose ordinals name them', () => {
    const all = documents(printed('kubernetes')) as unknown as {
      kind: string
      data?: Record<string, string>
    }[]
    expect(all.map(({ kind }) => kind)).toEqual([
      'Service',
      'Service',
      'StatefulSet',
      'ConfigMap',
      'Deployment',
      'Service',
    ])
    expect(all[3]?.data?.['understudy.conf']).toContain(
      'n1 understudy-1.understudy-nodes.default.svc.cluster.local:4141;',
    )
  })
})

describe('A node', () => {
  it.each(['n1', '=127.0.0.1:1', 'N1=a:1', 'n1=127.0.0.1', 'n1=a b:1', 'n1=a:1;'])('cannot be %j', (text) => {
    expect(() => parseNode(text)).toThrow('is not of the form n1=127.0.0.1:4141')
  })
})
