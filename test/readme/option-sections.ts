/** Generates the tables of options in docs/options.md from the declarations of options. */
import { extras } from '../../src/extras/index.ts'
import { optionsOf } from '../../src/gateway/extra.ts'
import { describe, type Options } from '../../src/sandbox/option.ts'
import { serverOptions } from '../../src/server/server-options.ts'
import { table } from './table.ts'

interface Row {
  name: string
  says: string
  /** Default as Markdown. */
  standard: string
  /** Flag of `serve`, such as `--seed <seed>`, or an empty string. */
  flag: string
}

export const optionSections: Record<string, () => string> = {
  options: () => tableOf(gatewayOptions()),
  'server-options': () => tableOf(rowsOf(serverOptions)),
}

/** Flags of `serve` that set an option. */
export const flagOf: ReadonlySet<string> = new Set(
  [...gatewayOptions(), ...rowsOf(serverOptions)].map(({ flag }) => flag),
)

/** Returns the core's options, then each extra's. */
export function gatewayOptions(): Row[] {
  return rowsOf(optionsOf(extras))
}

function tableOf(rows: Row[]): string {
  return table(
    ['Option', 'Description', 'Default', 'Flag'],
    rows.map(({ name, says, standard, flag }) => [`\`${name}\``, says, standard, flag && `\`${flag}\``]),
  )
}

function rowsOf(options: Options, outer = ''): Row[] {
  return Object.entries(options).flatMap(([name, option]) => {
    if ('options' in option) return rowsOf(option.options, `${outer}${name}.`)
    const [, says = '', standard = ''] = /^(.*) Default: (.*)\.$/.exec(describe(option)) ?? []
    return { name: outer + name, says, standard, flag: option.flag ?? '' }
  })
}
