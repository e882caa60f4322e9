import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.case.ts'],
    reporters: ['default'],
    maxConcurrency: 50,
    // Long enough for a machine under load.
    testTimeout: 30_000,
    provide: { gatewayOptions: { seed: 'from the configuration' } },
  },
})

declare module 'vitest' {
  interface ProvidedContext {
    gatewayOptions: { seed: string }
  }
}
