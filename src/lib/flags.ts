/** Environment variables that set command-line flags. */
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { nearest } from './did-you-mean.ts'
import { printError } from './print.ts'
import { UsageError } from './usage-error.ts'

/** Values that leave a boolean flag unset. */
const off = new Set(['', '0', 'false', 'no', 'off'])

export const environmentHelp =
  'Each flag can be set with an environment variable: UNDERSTUDY_PORT sets --port, UNDERSTUDY_NO_CONSOLE=1 sets --no-console.'

export function readEnvironment(command: Command): Command {
  return command.hook('preAction', () => {
    warnOfTypos(command)
    for (const option of command.options) {
      const variable = prefix + nameOf(option)
      const text = process.env[variable]
      const name = option.attributeName()
      if (text === undefined || command.getOptionValueSource(name) === 'cli') continue
      if (option.required || option.optional) {
        command.setOptionValueWithSource(name, parsed(option, variable, text), 'env')
      } else if (!off.has(text.toLowerCase())) command.setOptionValueWithSource(name, !option.negate, 'env')
    }
  })
}

/** Warns about misspelt variables, such as `UNDERSTUDY_PROT`, if the first letter after the prefix is correct. */
function warnOfTypos({ options, parent }: Command): void {
  const known = new Set(['URL', ...(parent as Command).commands.flatMap((each) => each.options).map(nameOf)])
  for (const variable of Object.keys(process.env)) {
    const name = variable.slice(prefix.length)
    if (!variable.startsWith(prefix) || known.has(name)) continue
    const alike = options.map(nameOf).filter((each) => each[0] === name[0])
    const meant = nearest(name, alike)
    if (meant !== undefined) printError(`warning: ${variable} sets no flag; did you mean ${prefix}${meant}?`)
  }
}

const prefix = 'UNDERSTUDY_'

function nameOf({ long = '' }: Option): string {
  return long.slice(2).replaceAll('-', '_').toUpperCase()
}

function parsed(option: Option, variable: string, text: string): unknown {
  try {
    return option.parseArg ? option.parseArg(text, undefined) : text
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(error.message.replace(`${option.long}`, variable))
    if (!(error instanceof InvalidArgumentError)) throw error
    throw new UsageError(`${variable}: '${text}' is invalid. ${error.message}`)
  }
}
