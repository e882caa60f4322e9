/** Generates the remote client's tables from the control operations. */
import { controlOperations } from '../../src/control/control.ts'
import { createGateway } from '../../src/index.ts'

const operations = (await controlOperations(createGateway())).filter(({ doc }) => doc?.tag !== 'Internal')

function methodsText(prefix: string): string {
  const lines = operations.flatMap(({ id, remote = '' }: { id: string; remote?: string }) => {
    const [name = '', ...path] = remote.split('.').reverse()
    return name && path.join('') === prefix ? [`    ${name}: '${id}',`] : []
  })
  return lines.join('\n')
}

export function routePathsText(): string {
  const routes = operations.map(({ id, method, path }) => `  ${id}: '${method.toUpperCase()} ${path}',`)
  return `/**
 * The control operations' routes by id. The remote client uses this table instead of loading schemas. Generated from
 * the operations by \`npm run generate\`.
 */
export const routePaths = {
${routes.join('\n')}
} as const

/** Methods of the remote client that only send their arguments, and their operations. */
export const remoteMethods = {
  sandbox: {
${methodsText('')}
  },
  journal: {
${methodsText('journal')}
  },
} as const
`
}
