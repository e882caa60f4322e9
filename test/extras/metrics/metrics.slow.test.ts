/**
 * The metrics, read by Prometheus' own `promtool` (Debian package prometheus).
 */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../../src/serve.ts'
import { hasProgram } from '../cluster/cluster.ts'

describe.skipIf(!hasProgram('promtool'))('GET /__understudy/metrics', () => {
  it('is clean to promtool check metrics, with 10,000 sandboxes and at most 300 series', async () => {
    await using server = await startServer({ timeScale: 0 })
    for (let made = 0; made < 10_000; made++) server.gateway.createSandbox()
    const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
    for (const path of ['providers', 'benchmarks', 'embeddings/models', 'presets/code-review', 'nothing'])
      await fetch(`${server.baseUrl}/${path}`, { headers })
    const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello', stream: true })
    await (await fetch(`${server.baseUrl}/responses`, { method: 'POST', headers, body })).text()

    const text = await (await fetch(`${server.url}/__understudy/metrics`)).text()
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    expect(series.length).toBeLessThanOrEqual(300)
  })
})
