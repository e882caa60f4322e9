/** Exports calls as a curl command or a test for Vitest or Playwright, and operations as OpenAPI documents. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { ok } from '../../http/reply.ts'

export const exports: ExtraDefinition = {
  name: 'exports',
  async files(path, gateway) {
    if (path !== '/openapi.json') return undefined
    const { apiDocument } = await import('./documents.ts')
    return ok(apiDocument(gateway))
  },
  control: async () => [
    (await import('./documents.ts')).getControlDocument,
    (await import('./export-call.ts')).exportCall,
  ],
}
