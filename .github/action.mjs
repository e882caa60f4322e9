/**
 * The steps of `action.yml`. `start` installs the package, starts the server and sets the outputs; `stop` saves the
 * journal of each sandbox and stops the server. Its files are in `$RUNNER_TEMP/understudy`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const { RUNNER_TEMP = '/tmp', GITHUB_OUTPUT, VERSION = 'latest', FLAGS = '' } = process.env
const home = join(RUNNER_TEMP, 'understudy')
const [ready, log, journal] = ['ready.json', 'requests.log', 'journal'].map((name) => join(home, name))

async function start() {
  mkdirSync(journal, { recursive: true })
  const name = /\.tgz$/.test(VERSION) ? VERSION : `gateway-understudy@${VERSION}`
  const install = ['install', '--prefix', home, '--no-audit', '--no-fund', '--omit=dev', '--omit=peer', name]
  execFileSync('npm', install, { stdio: 'inherit', shell: process.platform === 'win32' })
  const program = join(home, 'node_modules/gateway-understudy/dist/bin.js')
  const args = [program, '--json', ...FLAGS.split(/\s+/).filter(Boolean)]
  const stdio = ['ignore', openSync(ready, 'w'), openSync(log, 'w')]
  const server = spawn(process.execPath, args, { detached: true, stdio })
  const line = await readyLine(server)
  server.unref()
  const { url, baseUrl, apiKey, token = '' } = JSON.parse(line)
  writeFileSync(join(home, 'server.json'), JSON.stringify({ pid: server.pid, url, token }))
  if (token) console.log(`::add-mask::${token}`)
  const outputs = { url, 'base-url': baseUrl, 'api-key': apiKey, token }
  for (const [name, value] of Object.entries(outputs)) appendFileSync(GITHUB_OUTPUT, `${name}=${value}\n`)
  console.log(`Understudy listens at ${baseUrl}`)
}

async function readyLine(server) {
  for (let attempt = 0; attempt < 300 && server.exitCode === null; attempt++) {
    const text = readFileSync(ready, 'utf8')
    if (text.includes('\n')) return text
    await setTimeout(100)
  }
  server.kill()
  console.log(`::error::Understudy did not start: ${readFileSync(log, 'utf8').trim()}`)
  process.exit(1)
}

async function stop() {
  const { pid, url, token } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'))
  const read = async (path) => {
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const response = await fetch(`${url}/__understudy/${path}`, { headers })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return response.text()
  }
  try {
    for (const { id } of JSON.parse(await read('sandboxes')).data)
      writeFileSync(join(journal, `${id}.json`), await read(`sandboxes/${id}/journal`))
  } catch (error) {
    console.log(`::warning::The journal of Understudy is incomplete: ${error.message}`)
  }
  writeFileSync(join(journal, 'requests.log'), readFileSync(log))
  try {
    process.kill(pid)
  } catch {
    console.log('::warning::Understudy had already stopped')
  }
  rmSync(join(home, 'server.json'))
}

await { start, stop }[process.argv[2]]()
