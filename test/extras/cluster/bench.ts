/**
 * Compares the throughput of one node and three nodes behind nginx. Clients and nginx share the cores with
 * the nodes, so a machine with two cores shows little difference.
 */
import { hasProgram } from '../../has-program.ts'
import { type Figure, type Section, spread } from '../../tools/bench/measure.ts'
import { Client, createSandbox, startCluster } from './cluster.ts'

const clients = 50

export const section: Section = {
  name: 'cluster',
  title: 'Three nodes versus one, behind nginx',
  async run({ scale }) {
    if (!hasProgram('nginx')) {
      console.error('  skipped: nginx is not installed (Debian package nginx)')
      return []
    }
    const requests = Math.round(20_000 * scale)
    const one = await secondsFor(['n1'], requests)
    const three = await secondsFor(['n1', 'n2', 'n3'], requests)
    const ratios = three.map((seconds, round) => seconds / (one[round] as number))
    const rate = (seconds: readonly number[]) => Math.round(requests / spread(seconds).median)
    const figure: Figure = {
      name: `Time of ${requests} requests of ${clients} clients, 1 -> 3 nodes`,
      value: spread(ratios),
      unit: 'x',
      detail: `${rate(one)} per second with one, ${rate(three)} with three`,
    }
    return [figure]
  },
}

/** Returns the duration of each of three rounds in seconds. */
async function secondsFor(names: readonly string[], requests: number): Promise<number[]> {
  await using nodes = await startCluster('nginx', names)
  const each = await Promise.all(
    Array.from({ length: clients }, async () => {
      const client = new Client()
      return { client, sandbox: await createSandbox(client, nodes.url) }
    }),
  )
  const seconds: number[] = []
  for (let round = 0; round < 3; round++) {
    let left = requests
    const begin = performance.now()
    await Promise.all(
      each.map(async ({ client, sandbox }) => {
        while (left-- > 0) await client.send(`GET /sandboxes/${sandbox.id}/api/v1/providers`, nodes.url)
      }),
    )
    seconds.push((performance.now() - begin) / 1000)
  }
  for (const { client } of each) client.close()
  return seconds
}
