/** Builds the console into `dist/console`. Script and style sheet names contain content hashes. */
import { defineConfig } from 'vite'

export default defineConfig({
  root: new URL('page', import.meta.url).pathname,
  // Relative, so that the console also works under a path prefix.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: new URL('../../../dist/console', import.meta.url).pathname,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rollupOptions: {
      output: {
        entryFileNames: 'console-[hash].js',
        chunkFileNames: 'console-[hash].js',
        assetFileNames: 'console-[hash][extname]',
      },
    },
  },
})
