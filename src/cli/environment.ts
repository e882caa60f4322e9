/**
 * Every flag of a command can also be set by a variable, `UNDERSTUDY_PORT` for `--port`, as containers are configured.
 */
import { type Command, InvalidArgumentError, type Option } from 'commander'
import { UsageError } from './usage-error.ts'

/** Values by which a variable leaves a flag that has no value of its own as it is. */
const off = new Set(['', '0', 'false', 'no', 'off'])

/** Lets each flag be set by its variable, and says so in the help text; a flag that is given wins. */
export function readEnvironment(command: Command, environment: NodeJS.ProcessEnv = process.env): Command {
  // Named only for the help text: Commander would take any value for "on", also `false`.
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
