import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = new URL('../../', import.meta.url).pathname

/** Returns the path of a copy of the sources and tests, without some extras. */
export function treeWithout(gone: readonly string[]): string {
  const copy = mkdtempSync(join(tmpdir(), 'understudy-without-'))
  const folders = ['src', 'test', 'fixtures', 'scenarios']
  const files = globSync(['*.{ts,md}', 'package.json', 'tsconfig.json'], { cwd: root })
  for (const file of [...folders, ...files]) cpSync(join(root, file), join(copy, file), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  // Removed because they combine several extras, or cover them next to the core: the golden transcript, the
  // document generators, and the fuzzing of exchanged files.
  const combined = globSync(
    ['test/golden/*.test.ts', 'test/tools/soak/{index,files,soak.test}.ts', 'test/extras/together'],
    { cwd: root },
  )
  for (const path of ['test/readme', 'test/clients/record-clients.ts', ...combined])
    rmSync(join(copy, path), { recursive: true })
  for (const name of gone) {
    for (const folder of ['src', 'test'])
      rmSync(join(copy, folder, 'extras', name), { recursive: true, force: true })
    // The extra's own entry, if it has one.
    rmSync(join(copy, 'src', `${name}.ts`), { force: true })
    withoutLines(join(copy, 'src/extras/index.ts'), `./${name}/`)
    for (const entry of ['src/index.ts', 'src/vitest.ts'])
      withoutLines(join(copy, entry), `./extras/${name}/`)
  }
  return copy
}

/** Removes the lines that import from a folder, and those that only list what they import. */
function withoutLines(file: string, folder: string) {
  const lines = readFileSync(file, 'utf8').split('\n')
  const isGone = (line: string) => line.includes(`from '${folder}`)
  const imported = lines.filter(isGone).map((line) => /import \{ (\w+) \}/.exec(line)?.[1])
  const kept = lines.filter((line) => !isGone(line) && !imported.includes(line.trim().replace(',', '')))
  writeFileSync(file, kept.join('\n'))
}
