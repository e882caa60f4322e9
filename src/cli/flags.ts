/** `serve` flags that set options, derived from the option declarations. */
import { type Command, Option as Flag } from 'commander'
import * as z from 'zod'
import { about, inWords } from '../lib/schema-messages.ts'
import { UsageError } from '../lib/usage-error.ts'
import { describe, type Option, type Options } from '../sandbox/option.ts'

export function addFlags(command: Command, options: Options): void {
  for (const { option, flag } of flagged(options))
    command.addOption(flag.required ? flag.argParser(parserOf(option, flag.long)) : flag)
}

export function readFlags(command: Command, options: Options): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const { path, flag } of flagged(options)) {
    const name = flag.attributeName()
    if (['default', undefined].includes(command.getOptionValueSource(name))) continue
    const [first = '', inner] = path
    const value: unknown = command.getOptionValue(name)
    result[first] = inner === undefined ? value : { ...Object(result[first]), [inner]: value }
  }
  return result
}

/** Replaces options in a message with their flags: `options.recordings.upstream` with `--upstream`. */
export function withFlags(message: string, options: Options): string {
  return message.replace(/options((?:\.\w+)+)(?:\[\d+\])?/g, (text, path: string) => {
    const found = flagged(options).find((each) => `.${each.path.join('.')}` === path)
    return found?.flag.long ?? text
  })
}

/** Returns a parser that checks a flag's text with the option's schema. Flags for lists accept several values. */
export function parserOf(
  { schema }: Option,
  flag: string | undefined,
): (text: string, before: unknown) => unknown {
  return (text, before) => {
    const built = schema()
    const number = /^-?\d{1,15}(\.\d+)?$/.test(text) ? [Number(text)] : []
    const values =
      built instanceof z.ZodArray
        ? [[...((before as unknown[]) ?? []), ...text.split(',')]]
        : [...number, text]
    const results = values.map((value) => built.safeParse(value, { jitless: true, error: inWords }))
    const index = results.findIndex(({ success }) => success)
    if (index >= 0) return values[index]
    // An InvalidArgumentError's message would quote the text, which may contain a password.
    throw new UsageError(about(`${flag}`, `${results[0]?.error?.issues[0]?.message}`))
  }
}

interface Flagged {
  readonly path: readonly string[]
  readonly option: Option
  readonly flag: Flag
}

function flagged(options: Options, outer: readonly string[] = []): Flagged[] {
  return Object.entries(options).flatMap(([name, option]) => {
    const path = [...outer, name]
    if ('options' in option) return flagged(option.options, path)
    return option.flag ? { path, option, flag: new Flag(option.flag, helpOf(option)) } : []
  })
}

/** Returns the description in the style of `--help`: `seed for all generated data (default: 1)`. */
function helpOf(option: Option): string {
  const text = describe(option)
    .replace(/^If (true|false), /, '')
    .replace(/ In code, [^.]*\./, '')
    .replace(/ Default: (none|true|false)\.$/, '')
    .replace(/\.? Default: (.*)\.$/, ' (default: $1)')
    .replace(/\.$/, '')
  return /^[A-Z][a-z]+ /.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text
}
