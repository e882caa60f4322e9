/**
 * Cluster support: the `deploy` command.
 */
import type { ExtraDefinition } from '../../gateway/extra.ts'

export const cluster: ExtraDefinition = {
  name: 'cluster',
  async commands(program) {
    const { addDeploy } = await import('./deploy-command.ts')
    addDeploy(program)
  },
}
