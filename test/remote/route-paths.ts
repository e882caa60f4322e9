/**
 * Generates the remote client's route table from the control operations.
 */
import { controlOperations } from '../../src/control/control.ts'
import { createGateway } from '../../src/index.ts'

const operations = (await controlOperations(createGateway())).filter(({ doc }) => doc?.tag !== 'Internal')

export function routePathsText(): string {
  const routes = operations.map(({ id, method, path }) => `  ${id}: '${method.toUpperCase()} ${path}',`)
  const methods = ['', 'journal.', 'clock.'].map((prefix) =>
    operations.flatMap(({ id, remote = '.' }) => {
      const name = remote.startsWith(prefix) ? remote.slice(prefix.length) : '.'
      return name.includes('.') ? [] : [`  ${name}: '${id}',`]
    }),
  )
  const [sandbox, journal, clock] = methods.map((lines) => `{\n${lines.join('\n')}\n} as const`)
  return `/**
 * The control operations' routes by id. The remote client uses this table instead of loading schemas. Generated from
 * the operations by \`npm run generate\`.
 */
export const routePaths = {
${routes.join('\n')}
} as const

// Methods without arguments and their operations.
export const sandboxMethods = ${sandbox}

export const journalMethods = ${journal}

export const clockMethods = ${clock}
`
}
