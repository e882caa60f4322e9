#!/usr/bin/env node
/** Checks the Node version before importing anything, in syntax that older versions can parse. */
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number]

if (major > 22 || (major === 22 && minor >= 13)) {
  // Caches compiled code to speed up later starts. The cache is written as soon as the server is up, because a test
  // runner may kill the server.
  const { enableCompileCache, flushCompileCache } = process.getBuiltinModule('node:module')
  enableCompileCache()
  import('./serve.ts').then(({ runCommandLine }) => runCommandLine()).then(flushCompileCache)
} else {
  console.error(`gateway-understudy needs Node 22.13 or newer; this is Node ${process.versions.node}`)
  process.exitCode = 2
}
