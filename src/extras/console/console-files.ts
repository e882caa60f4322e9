/**
 * Serves the console's files, which are read on the first visit. In a clone of the repository they are built first,
 * and again when their sources change. A single executable embeds them.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
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
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

/**
 * Returns one of the console's files. Throws 404 for an unknown file.
 *
 * @param path Path relative to `/__understudy`; undefined if the trailing slash is missing.
 */
export async function consoleFile(path: string | undefined): Promise<Reply> {
  if (path === undefined)
    return { status: 308, headers: { location: '/__understudy/' }, body: { kind: 'none' } }
  const name = path === '/' ? 'index.html' : path.slice(1)
  const file = (await consoleFiles()).get(name)
  if (!file) throw new GatewayError(404, `The console has no file '${name}': reload the page`)
  return file
}

let files: Promise<ReadonlyMap<string, Reply>> | undefined
let builtAt = 0

function consoleFiles(): Promise<ReadonlyMap<string, Reply>> {
  if (files && builtAt < newestSource()) files = undefined
  files ??= readFiles().catch((error) => {
    files = undefined
    throw error
  })
  return files
}

/** In the package, the files are next to the bundle; in a clone, in `dist`. */
const published = relativeUrl('./console/')
const clone = relativeUrl('../../../')
const config = fileURLToPath(new URL('vite.console.ts', clone))

/** Returns a folder's URL. Bundlers would try to resolve a literal `new URL('./console/', import.meta.url)`, and fail. */
function relativeUrl(path: string): URL {
  return new URL(path, import.meta.url)
}

async function readFiles(): Promise<ReadonlyMap<string, Reply>> {
  builtAt = newestSource()
  const folder = isClone() ? new URL('dist/console/', clone) : published
  const page = new URL('index.html', folder)
  if (isClone() && (!existsSync(page) || statSync(page).mtimeMs < builtAt)) await build()
  const names = existsSync(folder) ? readdirSync(folder) : []
  const texts =
    embeddedTexts() ?? names.map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const)
  return new Map(texts.map(([name, text]) => [name, toFile(name, text)]))
}

/**
 * Returns the files embedded in a single executable, or undefined in any other runtime.
 */
function embeddedTexts(): Array<[name: string, text: string]> | undefined {
  const sea: typeof import('node:sea') | undefined = process.getBuiltinModule('node:sea')
  if (!sea?.isSea()) return undefined
  return sea.getAssetKeys().map((name) => [name, sea.getAsset(name, 'utf8')])
}

/** Returns true when running from sources, with build tools installed. */
function isClone(): boolean {
  return !existsSync(published) && existsSync(config)
}

/** Returns the time of the latest change to a source, in Unix milliseconds; 0 outside a clone. */
function newestSource(): number {
  if (!isClone()) return 0
  const folder = new URL('src/extras/console/page/', clone)
  // Includes folders, because deleting a file changes its folder's time.
  const names = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
  return Math.max(...names.map((name) => statSync(new URL(name, folder)).mtimeMs))
}

async function build(): Promise<void> {
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
      'content-type': types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
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
