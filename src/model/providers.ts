/**
 * Where a model runs.
 */
import { draw } from '../lib/seed.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'

type Tables = SandboxState['tables']
type Provider = Awaited<ReturnType<Tables['providers']['rows']>>[number]

/** Two of the providers, the same for the same model; fewer where there are fewer. */
export async function providersOf(model: string, { providers }: Tables): Promise<Provider[]> {
  const rows = await providers.rows()
  const first = Math.floor(draw(model, 'provider') * rows.length)
  const two = [rows[first], rows[(first + 1) % rows.length]]
  return two
    .filter((row): row is Provider => row !== undefined)
    .filter((row, place) => two.indexOf(row) === place)
}
