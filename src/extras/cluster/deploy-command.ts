/**
 * `deploy`: prints a configuration for several nodes behind a balancer, whole, on standard output.
 */
import { type Command, InvalidArgumentError } from 'commander'
import manifest from '../../../package.json' with { type: 'json' }
import { didYouMean } from '../../lib/did-you-mean.ts'
import { UsageError } from '../../lib/usage-error.ts'
import type { Node, Plan } from './plan.ts'

interface DeployFlags {
  node: string[]
  nodes?: number
  listen: Plan['listen']
  serverName: string[]
  tlsCertificate?: string
  tlsKey?: string
  image: string
}

const examples = `
Examples:
  $ gateway-understudy deploy nginx --node n1=127.0.0.1:4141 --node n2=127.0.0.1:4142 --listen 8080 > nginx.conf
  $ gateway-understudy serve --node n1 --port 4141 &  gateway-understudy serve --node n2 --port 4142 &
  $ nginx -c "$PWD/nginx.conf"
`

export function addDeploy(program: Command): void {
  const collect = (value: string, before: string[]) => [...before, value]
  program
    .command('deploy')
    .description(
      'Print a configuration for several nodes: nginx, envoy, haproxy, compose, kubernetes, dockerfile.',
    )
    .argument('<engine>', 'what the configuration is for')
    .option('--node <name=address>', 'a node that runs, as n1=127.0.0.1:4141; may be repeated', collect, [])
    .option('--nodes <number>', 'how many nodes compose and kubernetes start (default: 3)', toNumber)
    .option('--listen <[address:]port>', 'where the balancer listens', toListen, {
      host: '0.0.0.0',
      port: 8080,
    })
    .option('--server-name <name>', 'name by which the balancer is called; may be repeated', collect, [])
    .option('--tls-certificate <file>', 'certificate of the balancer')
    .option('--tls-key <file>', 'its key')
    .option('--image <name>', 'container image of the nodes', `gateway-understudy:${manifest.version}`)
    .addHelpText('after', examples)
    .action(async (name: string, flags: DeployFlags) => {
      const { engines } = await import('./engines.ts')
      const engine = engines.find((known) => known.name === name)
      if (!engine) {
        const names = engines.map((known) => known.name)
        throw new UsageError(`Unknown engine '${name}'${didYouMean(name, names)}`)
      }
      const { nodes: number, serverName: serverNames, listen, image } = flags
      const { version } = manifest
      const nodes =
        engine.takes === 'addresses'
          ? await givenNodes(name, flags.node)
          : await numbered(flags.node.length, number)
      process.stdout.write(engine.print({ nodes, listen, serverNames, image, version, tls: tlsOf(flags) }))
    })
}

async function givenNodes(engine: string, texts: readonly string[]): Promise<Plan['nodes']> {
  const { assertDistinct, parseNode } = await import('./plan.ts')
  try {
    const nodes: Node[] = texts.map(parseNode)
    assertDistinct(nodes)
    const [first, ...others] = nodes
    if (!first) throw new Error(`${engine} needs the addresses of its nodes: --node n1=127.0.0.1:4141`)
    return [first, ...others]
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

/** Their names and addresses come from the engine. */
async function numbered(given: number, number = Math.max(given, 3)): Promise<Plan['nodes']> {
  const { numberedNodes } = await import('./plan.ts')
  return numberedNodes(number, () => '')
}

function tlsOf({ tlsCertificate: certificate, tlsKey: key }: DeployFlags): Plan['tls'] {
  if (certificate !== undefined && key !== undefined) return { certificate, key }
  if (certificate === undefined && key === undefined) return undefined
  throw new UsageError('--tls-certificate and --tls-key are given together')
}

function toListen(text: string): Plan['listen'] {
  const [, host = '0.0.0.0', digits = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (port > 0 && port <= 65_535 && /^[\w.:[\]-]+$/.test(host)) return { host, port }
  throw new InvalidArgumentError('Give a port, as in 8080 or 127.0.0.1:8080.')
}

function toNumber(text: string): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= 1 && number <= 1000) return number
  throw new InvalidArgumentError('A number of nodes is from 1 to 1000.')
}
