/**
 * `npm run bench`: measures the cost of Understudy relative to the least possible work, measured in the same run.
 *
 * Uses CPU time where it can, because the machine can be busy.
 */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readFlags } from '../flags.ts'
import { compare } from './measure.ts'
import { rows } from './rows.ts'

const usage = `Usage: npm run build && npm run bench -- [options]

Compares each path of the built package with the least that could do it.

  --against <folder>  also measure another build, given its dist folder, in the same rounds
  --only <text>       rows whose name contains this text
  --rounds <number>   rounds per row; slow rows have a third; default: 31
  --json              print machine-readable figures`

const { values: flags } = readFlags(usage, {
  against: { type: 'string' },
  only: { type: 'string', default: '' },
  rounds: { type: 'string', default: '31' },
  json: { type: 'boolean', default: false },
})

const entries = (folder: string) => `${pathToFileURL(resolve(folder)).href}/`
const results: object[] = []
for (const row of rows) {
  if (!row.name.toLowerCase().includes(flags.only.toLowerCase())) continue
  console.error(row.name)
  await using stack = new AsyncDisposableStack()
  const isSlow = row.unit === 'ms' || row.name.includes('streams')
  const rounds = Number(flags.rounds) / (isSlow ? 3 : 1)
  const result = await compare(Math.ceil(rounds), {
    floor: await row.floor(stack, entries('dist')),
    ours: await row.ours(stack, entries('dist')),
    ...(flags.against && { other: await row.ours(stack, entries(flags.against)) }),
  })
  results.push({ name: row.name, unit: row.unit, ...result })
  const times = (value: number) => `${value.toFixed(2).padStart(6)} x`
  const change = result.change === undefined ? '' : `${times(result.change)} the other build  `
  if (!flags.json)
    console.log(
      `${times(result.ratio)}  ${change}${result.ours.toFixed(1)} and ${result.floor.toFixed(1)} ${row.unit}  ${row.name}`,
    )
}
if (flags.json) console.log(JSON.stringify(results, undefined, 2))
