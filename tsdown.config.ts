/**
 * Builds the published package: one file per entry, and chunks for shared code. Large, seldom needed packages
 * (faker, yaml) are dependencies instead of being bundled.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Rolldown, type UserConfig } from 'tsdown'
import { plainDeclarations } from './test/tools/build/plain-types.ts'

/** Package that only CommonJS bundles, because Jest's default mode cannot load ES modules. */
const inCommonJs = ['@faker-js/faker']

/** Packages that Vite bundles into the console. */
const inConsole = ['@preact/signals', '@preact/signals-core', 'preact']

/** Bundled packages. `dist/THIRD_PARTY_LICENSES` has their licences. */
export const bundled = [
  ...inCommonJs,
  ...inConsole,
  '@cfworker/json-schema',
  '@msw/data',
  '@noble/hashes',
  'commander',
  'drange',
  'es-toolkit',
  'eventsource-parser',
  'leven',
  'mutative',
  'outvariant',
  'randexp',
  'regjsparser',
  'ret',
  'rettime',
  'zod',
]

/** Not minified: Node prints the source line of an uncaught error, and users read stack traces. */
const common: UserConfig = {
  target: 'node22.13',
  fixedExtension: false,
  dts: true,
  treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
  // The declarations of undici and `@standard-schema/spec` are imported, but not part of the generated ones.
  deps: { neverBundle: [/^node:/, 'undici'], onlyBundle: [...bundled, '@standard-schema/spec'] },
  // Expected warnings: zod's translations, which tree shaking removes, and declarations built by TypeScript 7.
  suppressWarnings: [/CommonJS dts syntax/, /ESM format/, /TypeScript 7\.0/],
  report: false,
}

const sources = (names: readonly string[]) => names.map((name) => `src/${name}.ts`)

/** Entries also published as CommonJS, because Jest's default mode cannot load ES modules. */
const both = ['index', 'msw', 'node', 'remote', 'serve', 'verdicts']

/**
 * Builds few chunks, because each file adds 0.5 ms to the startup time. `shared` and `schemas` hold the code that the gateway shares
 * with the remote client and with the command line, neither of which loads a gateway. `interception` is separate from
 * `server`, because it imports MSW.
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

/** Returns a group for the modules that every source of at least one list imports statically. */
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

/** Publishes the command line as an ES module only, which supported versions of Node can require. */
const commandLineOnce: Rolldown.Plugin = {
  name: 'command-line-once',
  resolveId: (source) =>
    /\/(command-line|commands)\.ts$/.test(source) ? { id: './command-line.js', external: true } : undefined,
}

/**
 * Replaces imports of Node's modules with `getBuiltinModule`. An `import` would evaluate all of a module's
 * exports, which loads a WebSocket client (`node:http`, 30 ms), the standard streams (`node:process`, 4 ms)
 * and promises (`node:fs`, 4 ms).
 */
const lazyBuiltins: Rolldown.Plugin = {
  name: 'lazy-builtins',
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

/** Returns true for code, false for declarations. */
const isCode = (fileName: string) => /\.c?js$/.test(fileName)

/** Escapes characters outside ASCII. V8 then needs half the memory for a file, and startup takes 2 ms less. */
const asciiOnly: Rolldown.Plugin = {
  name: 'ascii-only',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk' && isCode(chunk.fileName)) chunk.code = chunk.code.replace(notAscii, escaped)
    }
  },
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII includes control characters.
const notAscii = /[^\x00-\x7f]/g
const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Makes `@msw/data` copy records with `src/lib/copy.ts`. Under Jest, `structuredClone` returns objects from
 * another realm, which updates reject. It also takes ten times as long.
 */
const copyRecords: Rolldown.Plugin = {
  name: 'copy-records',
  transform: {
    filter: { id: /@msw\/data\/build\/collection-/ },
    handler: (code) =>
      `import { copy } from ${JSON.stringify(fileURLToPath(new URL('src/lib/copy.ts', import.meta.url)))}\n` +
      code.replace('structuredClone(value)', 'copy(value)'),
  },
}

/**
 * Makes every file throw on older versions of Node, before Node evaluates anything that they lack. The executable
 * prints its own error.
 */
const nodeCheck: Rolldown.Plugin = {
  name: 'node-check',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk' && isCode(chunk.fileName) && chunk.name !== 'bin')
        chunk.code = assertNode + chunk.code
    }
  },
}

const assertNode = `{
  const { node = "22.13", bun, deno } = globalThis.process?.versions ?? {};
  const [major, minor] = bun || deno ? [22, 13] : node.split(".").map(Number);
  if (major < 22 || (major === 22 && minor < 13)) {
    const line = "gateway-understudy needs Node 22.13 or newer; this is Node " + node;
    throw Object.assign(new Error(line), { stack: "Error: " + line });
  }
}
`

/** Loads MSW with `require` in CommonJS, which has no top-level `await`. */
const requireMsw: Rolldown.Plugin = {
  name: 'require-msw',
  transform: {
    filter: { id: /src\/msw\.ts$/ },
    handler: (code) =>
      code.replace(
        /await import\('msw'\)\.catch\(throwMissingMsw\)/,
        "(() => { try { return require('msw') } catch (error) { throwMissingMsw(error) } })()",
      ),
  },
}

/** Omits Vitest, which cannot be required, from CommonJS, which has no top-level `await`. */
const requirePlaywright: Rolldown.Plugin = {
  name: 'require-playwright',
  transform: {
    filter: { id: /src\/verdicts\.ts$/ },
    handler: (code) =>
      code
        .replace("await import('vitest')", 'globalThis')
        .replace("await import('@playwright/test').catch(() => globalThis)", "require('@playwright/test')"),
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
    // Some packages have no `exports`.
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    outputOptions: fewChunks,
    plugins: [copyRecords, lazyBuiltins, asciiOnly, nodeCheck, plainDeclarations()],
    // The benchmark builds into another folder, without declarations.
    hooks: { 'build:done': ({ options }) => (options.dts ? shareDeclarations() : undefined) },
  },
  {
    ...common,
    entry: sources(both),
    format: 'cjs',
    platform: 'node',
    deps: { ...common.deps, alwaysBundle: inCommonJs.map((name) => new RegExp(`^${name}/`)) },
    clean: false,
    dts: false,
    plugins: [copyRecords, commandLineOnce, requireMsw, requirePlaywright, asciiOnly, nodeCheck],
    // The ES modules contain the same comments.
    outputOptions: { dynamicImportInCjs: false, comments: { jsdoc: false } },
  },
])

/**
 * Publishes each declaration once. Entries that are also CommonJS, and the declarations they share, become
 * `.d.cts` files, which ES modules can also import; the `.d.ts` of such an entry re-exports its `.d.cts`.
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
      // MSW is an ES module, from which only types are imported.
      .replace(/^import (\{[^}]*\} from "msw");$/m, `import type $1 with { "resolution-mode": "import" };`)
    if (shared.has(name)) rmSync(new URL(`${name}.d.ts`, folder))
    writeFileSync(new URL(shared.has(name) ? `${name}.d.cts` : `${name}.d.ts`, folder), text)
  }
  for (const name of both) {
    const declarations = new URL(`${name}.d.cts`, folder)
    const text = readFileSync(declarations, 'utf8')
    // In CommonJS, 'vitest' is a module that only re-exports the types to extend.
    const [extension = ''] = /^declare module 'vitest' \{\n[\s\S]*?^\}\n/m.exec(text) ?? []
    const [, extended] = /> extends (\w+)/.exec(extension) ?? []
    const imports = extended ? `import type { ${extended} } from "./${name}.cjs";\n` : ''
    writeFileSync(declarations, text.replace(extension, ''))
    writeFileSync(new URL(`${name}.d.ts`, folder), `${imports}export * from "./${name}.cjs";\n${extension}`)
  }
}

/** Matches the import path of another of the package's declaration files. */
const relative = /"\.\/([^"]+)\.js"/g
