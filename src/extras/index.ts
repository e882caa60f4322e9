/**
 * The extras: optional features, independent of each other. The core is complete without them.
 */
export { cluster } from './cluster/index.ts'
export { webConsole } from './console/index.ts'
export { dialects } from './dialects/index.ts'
export { metrics } from './metrics/index.ts'
export { openapi } from './openapi/index.ts'
export { recordings } from './recordings/index.ts'
export { accountResources } from './resources/index.ts'
export { snippets } from './snippets/index.ts'
export { tls } from './tls/index.ts'
export { values } from './values/index.ts'
