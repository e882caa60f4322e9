/** Runs the quick tests on sources that contain the chosen mutants. */
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import project from '../../../vitest.config.ts'
import { type Mutant, withMutants } from './mutants.ts'

const root = new URL('../../..', import.meta.url).pathname
const mutantsFile = process.env['UNDERSTUDY_MUTANTS'] ?? ''
const mutants: Mutant[] = JSON.parse(readFileSync(mutantsFile, 'utf8'))
const byFile = Map.groupBy(mutants, (mutant) => mutant.file)
const orderFile = process.env['UNDERSTUDY_TEST_ORDER']
const order: string[] = orderFile === undefined ? [] : JSON.parse(readFileSync(orderFile, 'utf8'))
const quick = project.test?.projects?.[0] as UserWorkspaceConfig

/** Runs the files in the requested order: those likely to fail first. */
class AsAsked extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => order.indexOf(relative(root, moduleId))
    return files.toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  ...quick,
  root,
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform(code, id) {
        const here = byFile.get(relative(root, id.split('?')[0] ?? id))
        return here ? { code: withMutants(code, here), map: null } : undefined
      },
    },
  ],
  test: {
    ...quick.test,
    isolate: false,
    maxConcurrency: 50,
    sequence: { sequencer: AsAsked },
    reporters: ['json'],
    // Each run has a separate cache, because Vitest cannot tell which mutants a module contains.
    fsModuleCachePath: join(dirname(mutantsFile), 'modules'),
    setupFiles: ['test/tools/mutate/setup.ts'],
    ...(process.env['UNDERSTUDY_JOINT_PLAN'] && { runner: 'test/tools/mutate/joint-runner.ts' }),
  },
})
