/** Tests that the single executable starts without Node, and contains the console, scenarios and fixtures. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { buildBinary } from './index.ts'

it('the executable serves the API and the console, and reads YAML', async () => {
  const binary = await buildBinary()
  const cwd = mkdtempSync(join(tmpdir(), 'understudy-'))
  const child = spawn(binary, ['--port', '0', '--json', '--quiet', '--scenario', 'flaky'], { cwd, env: {} })
  try {
    const [line] = await once(createInterface(child.stdout), 'line')
    const { url, baseUrl }: { url: string; baseUrl: string } = JSON.parse(line)
    const list = () => fetch(`${baseUrl}/providers`, { headers: { authorization: 'Bearer any' } })
    expect((await list()).status).toBe(503)
    while ((await list()).status !== 200);
    const page = await (await fetch(`${url}/__understudy/`)).text()
    const scripts = [...page.matchAll(/(?:src|href)="\.?\/?([\w/.-]+\.(?:js|css))"/g)]
    expect(scripts.length).toBeGreaterThan(0)
    for (const [, file] of scripts)
      expect((await fetch(new URL(file ?? '', `${url}/__understudy/`))).status, file).toBe(200)
    writeFileSync(join(cwd, 'mine.yaml'), 'name: mine\nrules:\n  - on: listProviders\n    fault: timeout\n')
    const { stdout } = spawnSync(binary, ['validate', 'mine.yaml'], { cwd, encoding: 'utf8', env: {} })
    expect(stdout).toBe('mine.yaml is valid\n')
  } finally {
    child.kill('SIGKILL')
    rmSync(cwd, { recursive: true })
  }
})
