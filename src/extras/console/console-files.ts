/** Serves the console's files. In a clone of the repository they are built on the first visit. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { GatewayError } from '../../http/errors.ts'
import type { Reply } from '../../http/reply.ts'

/** Content security policy: allows the page's own scripts and styles, and requests to this server. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}

/** @param path Path relative to `/__understudy`; undefined if the trailing slash is missing. */
export async function consoleFile(path: string | undefined): Promise<Reply> {
  if (path === undefined)
    return { status: 308, headers: { location: '/__understudy/' }, body: { kind: 'none' } }
  const name = path === '/' ? 'index.html' : path.slice(1)
  const file = (await consoleFiles()).get(name)
  if (!file) throw new GatewayError(404, `The console has no file '${name}': reload the page`)
  return file
}

/** Console files, keyed by the time the sources last changed. */
const read = new Map<number | undefined, Promise<ReadonlyMap<string, Reply>>>()

function consoleFiles(): Promise<ReadonlyMap<string, Reply>> {
  const changedAt = newestSource()
  const files = read.get(changedAt) ?? readFiles(changedAt)
  read.set(changedAt, files)
  return files
}

/** In the package, the files are next to the bundle; in a clone, in `dist`. */
const published = relativeUrl('./console/')
const clone = relativeUrl('../../../')
const config = fileURLToPath(relativeUrl('./vite.config.ts'))

/** Returns a folder's URL. Bundlers would try to resolve a literal `new URL('./console/', import.meta.url)`, and fail. */
function relativeUrl(path: string): URL {
  return new URL(path, import.meta.url)
}

async function readFiles(changedAt: number | undefined): Promise<ReadonlyMap<string, Reply>> {
  const folder = changedAt === undefined ? published : new URL('dist/console/', clone)
  if (changedAt !== undefined) await build(new URL('index.html', folder), changedAt)
  const names = existsSync(folder) ? readdirSync(folder) : []
  const texts =
    embeddedTexts() ?? names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)
  return new Map(texts.map(([name, text]) => [name, toFile(name, text)]))
}

/** Returns the files embedded in a single executable, or undefined in any other runtime. */
function embeddedTexts(): Array<[name: string, text: string]> | undefined {
  const sea: typeof import('node:sea') | undefined = process.getBuiltinModule('node:sea')
  if (!sea?.isSea()) return undefined
  return sea.getAssetKeys().map((name) => [name, sea.getAsset(name, 'utf8')])
}

/** Returns the time of the latest change to a source, in Unix milliseconds; undefined outside a clone. */
function newestSource(): number | undefined {
  if (!existsSync(config)) return undefined
  const folder = new URL('src/extras/console/page/', clone)
  // Includes the folder, because deleting a file changes the folder's time.
  const names = ['', ...readdirSync(folder)]
  return Math.max(...names.map((name) => statSync(new URL(name, folder)).mtimeMs))
}

/** Builds the page unless it is newer than its sources. */
async function build(page: URL, changedAt: number): Promise<void> {
  const builtAt = statSync(page, { throwIfNoEntry: false })?.mtimeMs
  if (builtAt !== undefined && builtAt > changedAt) return
  // Imported by URL, so that bundlers do not include Vite, which is installed only in clones.
  const tool: typeof import('vite') = await import(
    new URL('node_modules/vite/dist/node/index.js', clone).href
  )
  await tool.build({ configFile: config })
}

function toFile(name: string, text: string): Reply {
  const hasHashInName = name !== 'index.html'
  return {
    status: 200,
    body: { kind: 'json', value: text, text },
    headers: {
      'content-type': types[extname(name)] as string,
      'cache-control': hasHashInName ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    },
  }
}
