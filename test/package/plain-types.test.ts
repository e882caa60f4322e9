import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, inject, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

it('the published types equal the types inferred by zod', async () => {
  const { folder } = inject('packed')
  const settings = {
    extends: `${root}tsconfig.json`,
    compilerOptions: { typeRoots: [`${root}node_modules/@types`] },
    files: ['plain-types.ts'],
    include: [],
  }
  await writeFile(join(folder, 'plain-types.json'), JSON.stringify(settings))
  await writeFile(join(folder, 'plain-types.ts'), types)
  const tsc = promisify(execFile)('npx', ['tsc', '--noEmit', '-p', join(folder, 'plain-types.json')])
  const { stdout } = await tsc.catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})

const types = `
import type * as published from './dist/index.d.cts'
import type * as inferred from '${root}src/index.ts'
function same<Left, Right>(_: [Left, Right] extends [Right, Left] ? true : never) {}
same<published.RequestBodies, inferred.RequestBodies>(true)
same<published.BundledScenarioName, inferred.BundledScenarioName>(true)
same<published.Fault, inferred.Fault>(true)
same<published.GatewayOptions['latency'], inferred.GatewayOptions['latency']>(true)
same<published.GatewayOptions['recordCounts'], inferred.GatewayOptions['recordCounts']>(true)
same<published.Rule, inferred.Rule>(true)
same<published.Scenario, inferred.Scenario>(true)
same<published.ScriptedReply, inferred.ScriptedReply>(true)
same<published.Recording, inferred.Recording>(true)
type Row<Records extends { get(key: string): unknown }> = Awaited<ReturnType<Records['get']>>
type Rows<All extends Record<keyof All, { get(key: string): unknown }>> = { [Name in keyof All]: Row<All[Name]> }
same<Rows<published.Database>, Rows<inferred.Database>>(true)
// @ts-expect-error proves that this file is checked
same<published.Scenario, inferred.Rule>(true)
`
