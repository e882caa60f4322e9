/**
 * `npm run bench`: measures the cost of Understudy relative to the cheapest possible implementation, measured in the
 * same run.
 *
 * Measures the process's CPU time instead of elapsed time, because the machine can be busy. First builds the entries
 * as published.
 */
import { execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readFlags } from '../flags.ts'
import { growth } from './growth.ts'
import { inProcess } from './in-process.ts'
import { built, type Section, toBench } from './measure.ts'
import { memory } from './memory.ts'
import { protocols } from './protocols.ts'
import { requests } from './requests.ts'
import { sandboxes } from './sandboxes.ts'
import { start } from './start.ts'
import { streams } from './streams.ts'
import { type Measured, toTable } from './table.ts'

const sections: readonly Section[] = [
  start,
  requests,
  protocols,
  streams,
  inProcess,
  sandboxes,
  growth,
  memory,
  ...(await ofExtras()),
]

const usage = `Usage: npm run bench -- [options]

Compares the cost of each path with the least that could do it, in the same run.

  --only <names>   comma-separated sections: ${sections.map(({ name }) => name).join(', ')}
  --quick          shorten all measurements
  --json           print machine-readable figures
  --source         measure the sources instead of the built entries`

const { values: flags } = readFlags(usage, {
  only: { type: 'string' },
  quick: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  source: { type: 'boolean', default: false },
})

const selected = flags.only?.split(',')
const unknown = selected?.find((name) => !sections.some((section) => section.name === name))
if (unknown !== undefined) {
  console.error(`Unknown section '${unknown}'. Sections: ${sections.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}

if (!flags.source) build()
const bench = toBench(flags)
const measured: Measured[] = []
for (const section of sections) {
  if (selected && !selected.includes(section.name)) continue
  console.error(section.title)
  measured.push({ title: section.title, figures: await section.run(bench) })
}
console.log(flags.json ? JSON.stringify(measured, undefined, 2) : `\n${toTable(measured)}`)

/** Extras' sections, from their test folders. */
async function ofExtras(): Promise<Section[]> {
  const files = globSync('*/bench.ts', { cwd: new URL('../../extras', import.meta.url) })
  return Promise.all(
    files.map(async (file) => (await import(new URL(`../../extras/${file}`, import.meta.url).href)).section),
  )
}

/** Builds the entries as published, into a separate folder. */
function build(): void {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const args = ['--no-dts', '--no-sourcemap', '--log-level', 'error', '--out-dir', fileURLToPath(built)]
  execFileSync(process.execPath, [`${root}node_modules/tsdown/dist/run.mjs`, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  writeFileSync(new URL('package.json', built), '{ "type": "module" }')
}
