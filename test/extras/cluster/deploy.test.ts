/**
 * Compares the printed configurations with snapshots, and checks the syntax of the documents' examples.
 */
import { readFile } from 'node:fs/promises'
import { loadAll } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { haproxyFile } from '../../../src/extras/cluster/haproxy.ts'
import { nginxFile } from '../../../src/extras/cluster/nginx.ts'
import { type Plan, parseNode } from '../../../src/extras/cluster/plan.ts'

const plan: Plan = {
  nodes: [parseNode('n1=127.0.0.1:4141'), parseNode('n2=127.0.0.1:4142')],
  listen: { host: '0.0.0.0', port: 8080 },
  serverNames: [],
  tls: undefined,
}

// The snapshots are stored next to this test, so that every changed line is reviewed.
it.each([
  ['nginx', nginxFile],
  ['haproxy', haproxyFile],
])('deploy %s prints the configuration stored in printed/', async (name, print) => {
  await expect(print(plan)).toMatchFileSnapshot(`printed/${name}.txt`)
  const tls = { certificate: '/etc/tls/gateway.pem', key: '/etc/tls/gateway.key' }
  const named = print({ ...plan, serverNames: ['gateway.example', 'api.example'], tls })
  await expect(named).toMatchFileSnapshot(`printed/${name}-tls.txt`)
  expect(print({ ...plan, serverNames: ['one.example'] })).toContain(' one.example')
})

it.each(['n1', '=127.0.0.1:1', 'N1=a:1', 'n1=127.0.0.1', 'n1=a b:1', 'n1=a:1;'])(
  'deploy rejects the node %j',
  (text) => {
    expect(() => parseNode(text)).toThrow('is not a node: write a name and an address')
  },
)

describe.each(['README.md', 'KUBERNETES.md', 'ENVOY.md'])('src/extras/cluster/%s', (name) => {
  it('has an example in valid YAML', async () => {
    const file = new URL(`../../../src/extras/cluster/${name}`, import.meta.url)
    const examples = [...(await readFile(file, 'utf8')).matchAll(/```yaml\n(.*?)```/gs)]
    expect(examples).toHaveLength(1)
    for (const [, text = ''] of examples) expect(() => loadAll(text)).not.toThrow()
  })
})
