/** Reads the flags of the tools in this folder. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

/**
 * Returns the flags and arguments of a command line. Prints the usage for `--help`. Reports an invalid flag in one line
 * and exits with 2. A flag whose default is a number takes whole numbers.
 *
 * @param usage Help text, which starts with `Usage: npm run <tool>`.
 * @param allowPositionals If true, accepts arguments that are not flags. Default: false.
 */
export function readFlags<const Options extends NonNullable<ParseArgsConfig['options']>>(
  usage: string,
  options: Options,
  allowPositionals = false,
) {
  try {
    const all = { ...options, help: { type: 'boolean', short: 'h' } } as const
    const { values, positionals } = parseArgs({ options: all, allowPositionals })
    for (const [name, { default: preset }] of Object.entries(options as ParseArgsConfig['options'] & {})) {
      const value = (values as Record<string, unknown>)[name]
      if (/^\d+$/.test(String(preset)) && !/^\d+$/.test(String(value)))
        throw new Error(`--${name} must be a whole number, got '${value}'`)
    }
    if (!(values as { help?: boolean }).help) return { values, positionals }
    console.log(usage)
    process.exit(0)
  } catch (error) {
    const [, tool = 'tool'] = /npm run (\w+)/.exec(usage) ?? []
    console.error(`${tool}: ${(error as Error).message.split('. ')[0]}; see --help`)
    process.exit(2)
  }
}
