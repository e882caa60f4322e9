/** The quick tests, without those that read the sources as text. */
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import project from '../../../vitest.config.ts'

const quick = project.test?.projects?.[0] as UserWorkspaceConfig
const exclude = [...(quick.test?.exclude ?? []), 'test/house-rules.test.ts', 'test/lazy-schemas.test.ts']

export default defineConfig({
  ...quick,
  test: { ...quick.test, exclude, isolate: false, maxConcurrency: 50 },
})
