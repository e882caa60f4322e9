/**
 * Creates a temporary project with the package installed, to check the package's types with compilers and
 * editors.
 */
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = new URL('../../', import.meta.url).pathname

/**
 * Writes the files and runs work in the project's folder.
 *
 * @param folder The package's folder.
 */
export async function inProject<Result>(
  folder: string,
  files: Readonly<Record<string, string>>,
  work: (home: string) => Promise<Result>,
): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), 'understudy-types-'))
  try {
    await mkdir(join(home, 'node_modules'))
    for (const name of ['@faker-js', '@playwright', '@types', 'msw', 'vitest', 'zod'])
      await symlink(join(root, 'node_modules', name), join(home, 'node_modules', name))
    await cp(folder, join(home, 'node_modules/gateway-understudy'), {
      recursive: true,
      filter: (file) => !/\.[cm]?js$|\/(fixtures|scenarios|console|src|test|node_modules|\.git)$/.test(file),
    })
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2024',
      lib: ['es2024', 'esnext.disposable', 'dom', 'dom.iterable'],
      types: ['node'],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    }
    const settings = { compilerOptions, include: ['*.ts'] }
    const all = {
      ...files,
      'tsconfig.json': JSON.stringify(settings),
      'package.json': '{ "type": "module" }',
    }
    for (const [name, text] of Object.entries(all)) await writeFile(join(home, name), text)
    return await work(home)
  } finally {
    await rm(home, { recursive: true })
  }
}
