/**
 * `npm run binary`: builds a single executable from `dist` in `dist/binary`, which contains Node, the
 * console, scenarios and fixtures. `--target darwin-arm64` builds for another platform.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { readFlags } from '../flags.ts'

/** Node release to embed, from the first LTS line that has `--build-sea`. */
const nodeVersion = '26.10.0'
const targets = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win-x64']
const host = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

const root = new URL('../../../', import.meta.url).pathname
const dist = join(root, 'dist')

/** Returns the executable's path for a platform such as `linux-x64`. Default: the current platform. */
export function binaryPath(target = host): string {
  return join(dist, 'binary', `gateway-understudy-${target}${target.startsWith('win') ? '.exe' : ''}`)
}

/** Builds the executable and returns its path. Requires `npm run build`. */
export async function buildBinary(target = host): Promise<string> {
  if (!targets.includes(target)) throw new Error(`Unknown target '${target}': use ${targets.join(', ')}`)
  if (!existsSync(join(dist, 'bin.js'))) throw new Error('dist/bin.js is missing: npm run build')
  const home = mkdtempSync(join(tmpdir(), 'understudy-binary-'))
  try {
    const main = join(home, 'main.cjs')
    const bundle = await rolldown({ input: join(dist, 'bin.js'), platform: 'node', plugins: [inOneFile] })
    await bundle.write({ file: main, format: 'cjs', codeSplitting: false })
    const output = binaryPath(target)
    mkdirSync(join(dist, 'binary'), { recursive: true })
    const page = globSync(join(dist, 'console/*')).map((file) => [basename(file), file])
    const config = {
      main,
      output,
      executable: nodeFor(target, home),
      disableExperimentalSEAWarning: true,
      // Compiled code for another platform would be rejected.
      useCodeCache: target === host,
      assets: Object.fromEntries(page),
    }
    writeFileSync(join(home, 'sea.json'), JSON.stringify(config))
    execFileSync(nodeFor(host, home), ['--build-sea', join(home, 'sea.json')], { stdio: 'pipe' })
    return output
  } finally {
    rmSync(home, { recursive: true })
  }
}

/**
 * Bundles packages that are loaded on demand, and replaces the code's URL, so that it does not name one of the user's
 * files.
 */
const inOneFile: Plugin = {
  name: 'in-one-file',
  transform: (code) =>
    code
      .replace(/createRequire\(import\.meta\.url\)\("([\w-]+)"\)/g, 'require("$1")')
      .replaceAll('import.meta.url', '"file:///gateway-understudy/"'),
}

/** Downloads Node from the npm registry, and caches it in `node_modules/.cache`. */
function nodeFor(target: string, home: string): string {
  const program = target.startsWith('win') ? 'bin/node.exe' : 'bin/node'
  const folder = join(root, 'node_modules/.cache/understudy', `node-${target}-${nodeVersion}`)
  if (!existsSync(join(folder, program))) {
    // The package for Apple processors has a different name.
    const name = `${target === 'darwin-arm64' ? 'node-bin' : 'node'}-${target}@${nodeVersion}`
    const options = ['--json', '--pack-destination', home]
    const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', name, ...options], { encoding: 'utf8' }))
    execFileSync('tar', ['xzf', join(home, filename), '-C', home])
    mkdirSync(join(folder, '..'), { recursive: true })
    execFileSync('cp', ['-r', join(home, 'package'), `${folder}.part`])
    renameSync(`${folder}.part`, folder)
  }
  return join(folder, program)
}

if (import.meta.main) {
  const usage = `Usage: npm run binary -- [--target <platform>]

Builds the single executable. Requires npm run build.

  --target <platform>   ${targets.join(', ')} (default: ${host})`
  const { values } = readFlags(usage, { target: { type: 'string' } })
  const file = await buildBinary(values.target)
  console.log(`${file.slice(root.length)}: ${(statSync(file).size / 1e6).toFixed(0)} MB`)
}
