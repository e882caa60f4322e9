#!/usr/bin/env node
/**
 * What npm puts on the path as `gateway-understudy`. It says so where Node is too old, and so imports nothing before
 * it has looked, and is written in what an older Node can read.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major > 22 || (major === 22 && minor >= 12)) {
  // Later starts find the code compiled, in Node's own cache. A test runner may kill a server before it can exit, so
  // what was compiled is kept as soon as the server is up.
  const { enableCompileCache, flushCompileCache } = process.getBuiltinModule('node:module')
  enableCompileCache()
  import('./serve.ts').then(({ runCommandLine }) => runCommandLine()).then(flushCompileCache)
} else {
  console.error(`gateway-understudy needs Node 22.12 or newer, this is ${process.versions.node}`)
  process.exitCode = 2
}
