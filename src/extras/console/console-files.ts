/**
 * The files of the console, read when somebody first visits it. In a clone they are built then, and again when their
 * sources have changed.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { GatewayError } from '../../http/errors.ts'

/** What the page may do: run its own script, have its own style, and call this server. */
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

interface ConsoleFile {
  readonly content: Buffer
  readonly headers: Record<string, string>
}

/** @param name What `consoleFileOf` has found. */
export async function sendConsoleFile(
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
): Promise<void> {
  if (name === '') return void response.writeHead(308, { location: '/__understudy/' }).end()
  const file = (await consoleFiles()).get(name)
  if (!file) throw new GatewayError(404, `The console has no file '${name}': load its page again`)
  if (request.headers['if-none-match'] === file.headers['etag'])
    return void response.writeHead(304, file.headers).end()
  response.writeHead(200, { ...file.headers, 'content-length': String(file.content.length) })
  response.end(file.content)
}

let files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined
let builtAt = 0

function consoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  if (files && builtAt < newestSource()) files = undefined
  files ??= readFiles().catch((error) => {
    files = undefined
    throw error
  })
  return files
}

/** Beside the bundle; in a clone, in `dist`. */
const published = new URL('./console/', import.meta.url)
const clone = new URL('../../../', import.meta.url)
const config = fileURLToPath(new URL('vite.console.ts', clone))

async function readFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  builtAt = newestSource()
  const folder = isClone() ? new URL('dist/console/', clone) : published
  const page = new URL('index.html', folder)
  if (isClone() && (!existsSync(page) || statSync(page).mtimeMs < builtAt)) await build()
  const names = existsSync(folder) ? readdirSync(folder) : []
  return new Map(names.map((name) => [name, toFile(name, new URL(name, folder))]))
}

/** Whether this runs from sources, where whatever builds is at hand. */
function isClone(): boolean {
  return !existsSync(published) && existsSync(config)
}

/** Milliseconds since 1970; 0 where there are no sources. */
function newestSource(): number {
  if (!isClone()) return 0
  const folder = new URL('src/extras/console/page/', clone)
  // Folders too: theirs change when a file goes.
  const names = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
  return Math.max(...names.map((name) => statSync(new URL(name, folder)).mtimeMs))
}

async function build(): Promise<void> {
  // By its place, so that no bundler follows it: only a clone has it.
  const tool: typeof import('vite') = await import(
    new URL('node_modules/vite/dist/node/index.js', clone).href
  )
  await tool.build({ configFile: config })
}

function toFile(name: string, place: URL): ConsoleFile {
  const content = readFileSync(place)
  const { mtimeMs, size } = statSync(place)
  const isNamedByContent = name !== 'index.html'
  return {
    content,
    headers: {
      'content-type': types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
      'cache-control': isNamedByContent ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${Math.round(mtimeMs).toString(36)}-${size.toString(36)}"`,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    },
  }
}
