/**
 * Flags of commands: values that several commands take, and variables that set a flag, `UNDERSTUDY_PORT` for `--port`, as
 * containers are configured.
 */
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { UsageError } from './usage-error.ts'

/** A flag that may be repeated, and takes several values divided by commas. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, ...value.split(',')]
}

export function toWholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A whole number is needed.')
}

/** A token is sent in a header. */
export function toToken(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new InvalidArgumentError('A token has no spaces.')
}

/** Values of a variable that leave a flag without a value unset. */
const off = new Set(['', '0', 'false', 'no', 'off'])

/** Lets a variable set each flag, unless the flag is given, and adds the variables to the help text. */
export function readEnvironment(command: Command, environment: NodeJS.ProcessEnv = process.env): Command {
  // Only for the help text: Commander would take any value for "on", including `false`.
  for (const option of command.options) option.env(variableOf(option))
  return command.hook('preAction', () => {
    for (const option of command.options) {
      const text = environment[variableOf(option)]
      const name = option.attributeName()
      if (text === undefined || command.getOptionValueSource(name) === 'cli') continue
      if (option.required || option.optional) {
        command.setOptionValueWithSource(name, parsed(option, text), 'env')
      } else if (!off.has(text.toLowerCase())) command.setOptionValueWithSource(name, !option.negate, 'env')
    }
  })
}

/** `--allowed-host` is `UNDERSTUDY_ALLOWED_HOST`. */
function variableOf({ long }: Option): string {
  return `UNDERSTUDY_${long?.replace(/^--/, '').replaceAll('-', '_').toUpperCase()}`
}

function parsed(option: Option, text: string): unknown {
  try {
    return option.parseArg ? option.parseArg(text, undefined) : text
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    throw new UsageError(`${variableOf(option)}: '${text}' is invalid. ${error.message}`)
  }
}
