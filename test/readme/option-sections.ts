/**
 * Generates the READMEs' option tables from the declarations of options.
 */
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
}

export const optionSections: Record<string, () => string> = {
  options: () => tableOf(gatewayOptions()),
  'server-options': () => tableOf(rowsOf(serverOptions)),
}

/** Returns the core's options, then each extra's. */
export function gatewayOptions(): Row[] {
  return rowsOf(optionsOf(extras))
}

function tableOf(rows: Row[]): string {
  return table(
    ['Option', 'Description', 'Default'],
    rows.map(({ name, says, standard }) => [`\`${name}\``, says, standard]),
  )
}

function rowsOf(options: Options, outer = ''): Row[] {
  return Object.entries(options).flatMap(([name, option]) => {
    if ('options' in option) return rowsOf(option.options, `${outer}${name}.`)
    const [, says = '', standard = ''] = /^(.*) Default: (.*)\.$/.exec(describe(option)) ?? []
    return { name: outer + name, says, standard }
  })
}
