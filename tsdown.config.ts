/**
 * What is published: one file for each entry, and chunks for what they share. What is large and seldom needed is
 * installed beside it: faker, js-yaml.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown'
import { plainDeclarations } from './test/tools/build/plain-types.ts'

/** What Vite puts into the console. */
const inConsole = ['@preact/signals', '@preact/signals-core', 'preact']

/** The packages inside. What they ask of those who pass them on is met by LICENSE. */
export const bundled = [
  ...inConsole,
  '@msw/data',
  '@noble/hashes',
  '@scalar/helpers',
  '@scalar/openapi-upgrader',
  'commander',
  'es-toolkit',
  'eventsource-parser',
  'mutative',
  'outvariant',
  'rettime',
  'zod',
]

/** Readable instead of minified: Node prints the line of an uncaught error, and users read stack traces. */
const common: UserConfig = {
  target: 'node22.12',
  fixedExtension: false,
  dts: true,
  treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
  // The types of `@msw/data` import `@standard-schema/spec`; nothing of it is left in the declarations.
  deps: { neverBundle: [/^node:/], onlyBundle: [...bundled, '@standard-schema/spec'] },
  // Zod's translations, none of which are left in the bundle; and that declarations come from TypeScript 7.
  suppressWarnings: [/CommonJS dts syntax/, /ESM format/, /TypeScript 7\.0/],
  report: false,
}

const sources = (names: readonly string[]) => names.map((name) => `src/${name}.ts`)

/** Entries that are CommonJS, too: Jest as it comes can load no ES module. */
const both = ['index', 'msw', 'node', 'remote', 'serve']

/**
 * What a gateway takes is in few chunks, as each file costs every start 0.5 ms: what it shares with the client of a
 * server, what it shares with the command line, and the rest. Neither of these two is to load a gateway. What an entry
 * takes beside it is one more; a server is to have no part of the interception, which names MSW.
 */
const fewChunks: Rolldown.OutputOptions = {
  codeSplitting: {
    minShareCount: 2,
    groups: [
      { name: toChunk('shared', ['index', 'remote']), priority: 4 },
      { name: toChunk('schemas', ['index', 'cli/command-line']), priority: 3 },
      { name: toChunk('gateway', ['index'], ['msw', 'node'], ['node', 'serve']), priority: 2 },
      { name: toChunk('interception', ['node']), priority: 1 },
      { name: toChunk('server', ['serve']) },
    ],
  },
}

type Modules = { getModuleInfo: Rolldown.GetModuleInfo }

/** Of modules that all sources of one of these lists always load. */
function toChunk(name: string, ...lists: string[][]) {
  let loads: Array<Array<ReadonlySet<string>>> | undefined
  return (id: string, modules: Modules) => {
    loads ??= lists.map((sources) => sources.map((source) => loadedBy(source, modules)))
    return loads.some((all) => all.every((ids) => ids.has(id))) ? name : null
  }
}

function loadedBy(source: string, modules: Modules): ReadonlySet<string> {
  const ids = new Set([fileURLToPath(new URL(`src/${source}.ts`, import.meta.url))])
  for (const id of ids) for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) ids.add(imported)
  return ids
}

/** The command line, with the commands of extras, is an ES module only: its Node can require one. */
const commandLineOnce: Rolldown.Plugin = {
  name: 'command-line-once',
  resolveId: (source) =>
    /\/(command-line|commands|deploy-command)\.ts$/.test(source)
      ? { id: './command-line.js', external: true }
      : undefined,
}

/**
 * Takes the modules of Node itself without an `import`, which reads every export: of `node:http` one that loads a
 * WebSocket client (30 ms), of `node:process` the standard streams (4 ms), of `node:fs` its promises (4 ms).
 */
const builtinsUnread: Rolldown.Plugin = {
  name: 'builtins-unread',
  renderChunk: (code, { fileName }) =>
    isCode(fileName) ? code.replace(importOfNode, withoutImport) : undefined,
}

const importOfNode = /^import (?:(?:\* as )?([\w$]+)(?:, )?)?(\{.*\})? ?from "(node:[\w/]+)";$/gm

function withoutImport(_: string, whole?: string, names?: string, module?: string): string {
  return [whole, names?.replaceAll(' as ', ': ')]
    .flatMap((bound) => bound ?? [])
    .map((bound) => `const ${bound} = globalThis.process.getBuiltinModule("${module}");`)
    .join(' ')
}

/** Not declarations. */
const isCode = (fileName: string) => /\.c?js$/.test(fileName)

/** Escapes what is not ASCII: V8 reads and keeps such a file in half of the memory, and a start takes 2 ms less. */
const inAscii: Rolldown.Plugin = {
  name: 'in-ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk' && isCode(chunk.fileName)) chunk.code = chunk.code.replace(notAscii, escaped)
    }
  },
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with them.
const notAscii = /[^\x00-\x7f]/g
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Lets `@msw/data` copy records by our own function. Its `structuredClone` returns objects of another realm under Jest,
 * which its updates then refuse, and takes ten times as long.
 */
const recordsCopiedHere: Rolldown.Plugin = {
  name: 'records-copied-here',
  transform: {
    filter: { id: /@msw\/data\/build\/collection-/ },
    handler: (code) =>
      `import { copy } from ${JSON.stringify(fileURLToPath(new URL('src/lib/copy.ts', import.meta.url)))}\n` +
      code.replace('structuredClone(value)', 'copy(value)'),
  },
}

/** CommonJS has no `await` at the top of a module, but its Node can require MSW 3. */
const mswRequired: Rolldown.Plugin = {
  name: 'msw-required',
  transform: {
    filter: { id: /load-msw\.ts$/ },
    handler: (code) =>
      code.replace(
        /await import\('msw'\)\.catch\(missing\)/,
        "(() => { try { return require('msw') } catch (error) { missing(error) } })()",
      ),
  },
}

export default defineConfig([
  {
    ...common,
    entry: {
      ...Object.fromEntries([...both, 'vitest', 'playwright', 'bin'].map((name) => [name, `src/${name}.ts`])),
      'command-line': 'src/cli/command-line.ts',
    },
    platform: 'neutral',
    outputOptions: fewChunks,
    plugins: [recordsCopiedHere, builtinsUnread, inAscii, plainDeclarations()],
    // The benchmark builds without declarations, and elsewhere.
    hooks: { 'build:done': ({ options }) => (options.dts ? shareDeclarations() : undefined) },
  },
  {
    ...common,
    entry: sources(both),
    format: 'cjs',
    platform: 'node',
    clean: false,
    dts: false,
    plugins: [recordsCopiedHere, commandLineOnce, mswRequired, inAscii],
    outputOptions: { dynamicImportInCjs: false },
  },
])

/**
 * Declarations stand in the package once. Those of an entry that is CommonJS too, and what they share, are `.d.cts`,
 * which an ES module may name as well; the entry's `.d.ts` passes them on.
 */
function shareDeclarations(): void {
  const folder = new URL('dist/', import.meta.url)
  const read = (name: string) => readFileSync(new URL(`${name}.d.ts`, folder), 'utf8')
  const shared = new Set<string>()
  const share = (name: string) => {
    if (shared.has(name)) return
    shared.add(name)
    for (const [, next = ''] of read(name).matchAll(relative)) share(next)
  }
  both.forEach(share)

  const names = readdirSync(folder).flatMap((file) => (file.endsWith('.d.ts') ? file.slice(0, -5) : []))
  for (const name of names) {
    const text = read(name)
      .replace(relative, (path, next) => (shared.has(next) ? `"./${next}.cjs"` : path))
      // MSW is an ES module, and only its types are named.
      .replace(/^import (\{[^}]*\} from "msw");$/m, `import type $1 with { "resolution-mode": "import" };`)
    if (shared.has(name)) rmSync(new URL(`${name}.d.ts`, folder))
    writeFileSync(new URL(shared.has(name) ? `${name}.d.cts` : `${name}.d.ts`, folder), text)
  }
  for (const name of both) writeFileSync(new URL(`${name}.d.ts`, folder), `export * from "./${name}.cjs";\n`)
}

/** How a declaration file names another of ours. */
const relative = /"\.\/([^"]+)\.js"/g
