/**
 * `deploy`: prints a complete configuration for several nodes behind a load balancer.
 */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { didYouMean } from '../../lib/did-you-mean.ts'
import { UsageError } from '../../lib/usage-error.ts'
import type { Node, Plan } from './plan.ts'

interface DeployFlags {
  node?: string[]
  listen: Plan['listen']
  serverName?: string[]
  tlsCertificate?: string
  tlsKey?: string
}

/** Targets for which the documents have an example instead of a generated configuration. */
const examples = ['envoy', 'compose', 'kubernetes', 'dockerfile']

const help = `
Examples:
  $ gateway-understudy deploy nginx --node n1=127.0.0.1:4141 --node n2=127.0.0.1:4142 --listen 8080 > nginx.conf
  $ gateway-understudy serve --node n1 --port 4141 &  gateway-understudy serve --node n2 --port 4142 &
  $ nginx -c "$PWD/nginx.conf"
`

export function addDeploy(program: Command): void {
  const collect = (value: string, values: string[] = []) => [...values, value]
  program
    .command('deploy')
    .description('Print a configuration for several nodes behind nginx or HAProxy.')
    .argument('<balancer>', 'nginx or haproxy')
    .option('--node <name=address>', 'node, such as n1=127.0.0.1:4141; may be repeated', collect)
    .addOption(
      new Option('--listen <[address:]port>', 'address that the balancer listens on')
        .argParser(toListen)
        .default({ host: '0.0.0.0', port: 8080 }, '0.0.0.0:8080'),
    )
    .option('--server-name <name>', "the balancer's host name; may be repeated", collect)
    .option('--tls-certificate <file>', "the balancer's certificate")
    .option('--tls-key <file>', "the certificate's key")
    .addHelpText('after', help)
    .action(async (balancer: string, flags: DeployFlags) => {
      const print = await templateOf(balancer)
      const { serverName: serverNames = [], listen } = flags
      const nodes = await parseNodes(balancer, flags.node ?? [])
      process.stdout.write(print({ nodes, listen, serverNames, tls: tlsOf(flags) }))
    })
}

async function templateOf(balancer: string): Promise<(plan: Plan) => string> {
  if (balancer === 'nginx') return (await import('./nginx.ts')).nginxFile
  if (balancer === 'haproxy') return (await import('./haproxy.ts')).haproxyFile
  if (examples.includes(balancer))
    throw new UsageError(
      `deploy supports nginx and haproxy. For ${balancer}, adapt the example in src/extras/cluster/README.md of the repository`,
    )
  throw new UsageError(`Unknown balancer '${balancer}'${didYouMean(balancer, ['nginx', 'haproxy'])}`)
}

async function parseNodes(balancer: string, texts: readonly string[]): Promise<Plan['nodes']> {
  const { assertDistinct, parseNode } = await import('./plan.ts')
  try {
    const nodes: Node[] = texts.map(parseNode)
    assertDistinct(nodes)
    const [first, ...others] = nodes
    if (!first) throw new Error(`${balancer} requires at least one node: --node n1=127.0.0.1:4141`)
    return [first, ...others]
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

function tlsOf({ tlsCertificate: certificate, tlsKey: key }: DeployFlags): Plan['tls'] {
  if (certificate !== undefined && key !== undefined) return { certificate, key }
  if (certificate === undefined && key === undefined) return undefined
  throw new UsageError('--tls-certificate and --tls-key must be used together')
}

function toListen(text: string): Plan['listen'] {
  const [, host = '0.0.0.0', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (port > 0 && port <= 65_535 && /^[\w.:[\]-]+$/.test(host)) return { host, port }
  throw new InvalidArgumentError(
    'It must be a port, or an address with a port, such as 8080 or 127.0.0.1:8080.',
  )
}
