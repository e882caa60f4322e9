/**
 * Generates the remote client's route table from the control operations.
 */
import { controlOperations } from '../../src/control/control.ts'
import { createGateway } from '../../src/index.ts'

const operations = (await controlOperations(createGateway())).filter(({ doc }) => doc?.tag !== 'Internal')

export function routePathsText(): string {
  const routes = operations.map(({ id, method, path }) => `  ${id}: '${method.toUpperCase()} ${path}',`)
  return `/**
 * The control operations' routes by id. The remote client uses this table instead of loading schemas. Generated from
 * the operations by \`npm run generate\`.
 */
export const routePaths = {
${routes.join('\n')}
} as const
`
}
