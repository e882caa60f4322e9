/**
 * The console as it is published: three files in `dist/console`, of which two are named by their content.
 */
import { defineConfig } from 'vite'

export default defineConfig({
  root: new URL('src/extras/console/page', import.meta.url).pathname,
  // Below `/__understudy/`, whatever stands before it.
  base: './',
  publicDir: false,
  logLevel: 'warn',
  build: {
    outDir: new URL('dist/console', import.meta.url).pathname,
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    rollupOptions: {
      output: {
        entryFileNames: 'console-[hash].js',
        assetFileNames: 'console-[hash][extname]',
        codeSplitting: false,
      },
    },
  },
})
