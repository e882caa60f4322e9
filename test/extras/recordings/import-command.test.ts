/** Runs `import` for files of each kind, and compares its output, exit codes and recordings with a snapshot. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../../cli/run-command.ts'

const har = (...entries: { response?: object; request?: object }[]) => ({
  log: {
    entries: entries.map(({ response, request }) => ({
      request: { method: 'GET', url: 'https://a.example/api/v1/providers', ...request },
      response: { status: 200, content: { mimeType: 'text/plain', text: 'hello' }, ...response },
      timings: { wait: 7, receive: 3 },
    })),
  },
})
/** A key that is split across two events. */
const split = ['sk-or-v1-0123456789a', 'bcdefghijABCDEFGHIJ0123456789k']

const files: Record<string, unknown> = {
  'site.har': har({}, { response: { status: 0 } }, { request: { method: 'OPTIONS' } }),
  'none.har': har({ response: { status: 0 } }),
  'bounds.har': har(
    { response: { content: { text: '', size: -1 } }, request: { headers: [{ name: 'a' }] } },
    { response: { content: { size: -2 } } },
    { request: { method: '' } },
  ),
  'reply.sse': 'data: 1\r\n\r\n',
  'split.sse': split
    .map(
      (delta) => `data: ${JSON.stringify({ type: 'response.output_text.delta', item_id: 'm', delta })}\n\n`,
    )
    .join(''),
  'get.yaml': 'method: get\npath: /providers\nquery: a=1\nheaders: { accept: text/plain }',
  'unknown-field.json': { path: '/responses', url: 'x' },
  'rules.yaml': `values: [""]\npatterns: [{ name: "", matches: "" }, { name: long, matches: "${'x'.repeat(501)}" }]`,
  'good-rules.yaml': `headers: [accept]\npatterns: [{ name: x, matches: "${'x'.repeat(500)}" }]`,
}

const commands = [
  'har site.har',
  'har site.har --json',
  'har site.har --base https://a.example/api --dialect other --quiet',
  'har none.har --json',
  'har bounds.har',
  'har site.har missing.har',
  'har folder',
  'sse reply.sse/nested.sse',
  'sse reply.sse',
  'sse reply.sse reply.sse --request get.yaml',
  'sse reply.sse --request unknown-field.json',
  'sse split.sse reply.sse --quiet',
  'sse split.sse --json',
  'sse reply.sse --redact rules.yaml',
  'sse reply.sse --redact good-rules.yaml --quiet',
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'understudy-import-'))
  await mkdir(join(folder, 'folder'))
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('import prints the lines and writes the recordings in the snapshot', async () => {
  const report: string[] = []
  for (const [index, command] of commands.entries()) {
    const out = join(folder, `out-${index}`)
    await rm(out, { recursive: true, force: true })
    const args = command.split(' ').map((arg) => (/\.\w+$|^folder$/.test(arg) ? join(folder, arg) : arg))
    const { code, stdout, stderr } = await runCommand('import', ...args, '--out', out)
    const recordings = await readdir(out).catch(() => [])
    const contents = recordings.map(async (name) => `--- ${name}\n${await readFile(join(out, name), 'utf8')}`)
    report.push(
      `$ import ${command}\n${stdout}${stderr}exit code ${code}\n`,
      ...(await Promise.all(contents)),
    )
  }
  const text = report
    .join('')
    .replaceAll(`${folder}/`, '')
    .replaceAll(/out-\d+/g, 'out')
  await expect(text).toMatchFileSnapshot('import/commands.txt')
  for (const half of split) expect(text).not.toContain(half)
})
