/** Exports calls as a curl command, or as a test for Vitest or Playwright. */
import type { ExtraDefinition } from '../../gateway/extra.ts'

export const exports: ExtraDefinition = {
  name: 'exports',
  exports: {
    curl: async (record, site) => (await import('./snippets.ts')).toCurl(record, site),
    vitest: async (record) => (await import('./snippets.ts')).toTest(record, 'vitest'),
    playwright: async (record) => (await import('./snippets.ts')).toTest(record, 'playwright'),
  },
}
