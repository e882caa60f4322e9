/** Checks the metrics with Prometheus's `promtool` (Debian package prometheus). */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../../src/serve.ts'
import { call, open } from '../../call.ts'
import { hasProgram } from '../../has-program.ts'

describe.skipIf(!hasProgram('promtool'))('GET /__understudy/metrics', () => {
  it('passes promtool check metrics, with at most 300 series for 10,000 sandboxes', async () => {
    await using server = await startServer({ timeScale: 0 })
    for (let made = 0; made < 10_000; made++) server.gateway.createSandbox()
    await fetch(`${server.url}/__understudy/metrics`)
    for (const path of ['providers', 'benchmarks', 'embeddings/models', 'presets/code-review', 'nothing'])
      await open(server, `GET /${path}`)
    const body = { model: 'aurora/dawn-2', input: 'Hello', stream: true }
    await call(server, 'POST /responses', { body })

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
