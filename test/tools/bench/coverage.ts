/**
 * Counts the functions and files in `src` that a request executes, using precise coverage of a warmed-up server:
 * `node test/tools/bench/coverage.ts`. With `--list`, also prints their names.
 */
import { Session } from 'node:inspector/promises'

const root = new URL('../../../', import.meta.url).href
const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }

const requests = {
  'GET /providers': { method: 'GET', path: '/providers', body: () => null },
  'PATCH /workspaces/{id}': {
    method: 'PATCH',
    path: '/workspaces/production',
    body: (count: number) => JSON.stringify({ name: `Name ${count}` }),
  },
  'POST /responses': {
    method: 'POST',
    path: '/responses',
    body: (count: number) => JSON.stringify({ model: 'aurora/dawn-2', input: `Why ${count} tides?` }),
  },
}

const { startServer } = (await import(`${root}src/serve.ts`)) as typeof import('../../../src/serve.ts')
const server = await startServer()
const session = new Session()
session.connect()

for (const [name, { method, path, body }] of Object.entries(requests)) {
  const send = async (count: number) => {
    const response = await fetch(server.baseUrl + path, { method, headers, body: body(count) })
    if (!response.ok) throw new Error(`${name} answered ${response.status}`)
    await response.arrayBuffer()
  }
  for (let count = 0; count < 20; count++) await send(count)
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await send(20)
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const passed = result
    .filter(({ url }) => url.startsWith(`${root}src/`))
    .flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [range] }) => range !== undefined && range.count > 0)
        .map(({ functionName }) => ({ file: url.slice(root.length), functionName })),
    )
  const files = new Set(passed.map(({ file }) => file))
  console.log(`${name}: ${passed.length} functions in ${files.size} files`)
  if (process.argv.includes('--list')) {
    for (const { file, functionName } of passed) console.log(`  ${file} ${functionName || '(anonymous)'}`)
  }
}
await server.close()
