/**
 * The command line. `serve` is the default command. Invalid input prints one line and sets exit code 2.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { Flag } from '../gateway/extra.ts'
import { FileError, formatProblem } from '../lib/data-file.ts'
import { meantBy } from '../lib/did-you-mean.ts'
import { collect, environmentHelp, readEnvironment, toToken } from '../lib/flags.ts'
import { oneLine } from '../lib/one-line.ts'
import { print, printable, printError } from '../lib/print.ts'
import { UsageError } from '../lib/usage-error.ts'
import { extensionNames } from '../sandbox/options-input.ts'
import { ScenarioError } from '../scenarios/scenario-error.ts'
import { gatewaySetup } from '../setup.ts'
import type { Start } from './serve-command.ts'

const examples = `Examples:
  Start the server and open the console:
  $ gateway-understudy --open

  Simulate rate limits, with the chat and models extensions:
  $ gateway-understudy --scenario rate-limited --extensions chat,models

  Accept requests from other machines, as in a container:
  $ gateway-understudy --host 0.0.0.0 --port 8080 --token "$TOKEN" --allowed-host mock-gateway

  Record a real gateway, then replay the recordings:
  $ gateway-understudy record --upstream https://gateway.example/api/v1
  $ gateway-understudy --recordings recordings`

/**
 * Parses arguments and runs the command.
 *
 * @param start `startServer`, which only entry points may import.
 */
export async function run(args: readonly string[], start: Start): Promise<void> {
  const program = await toProgram(start)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = exitCodeOf(error)
  }
}

function exitCodeOf(error: unknown): number {
  // Commander has already printed the error, help or version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const isUserError = [UsageError, FileError, ScenarioError].some((kind) => error instanceof kind)
  if (!isUserError) throw error
  printError(`error: ${(error as Error).message}`)
  return 2
}

async function toProgram(start: Start): Promise<Command> {
  const program = new Command('gateway-understudy')
    .description('A mock Model Gateway: in memory, offline, deterministic, with faults on demand.')
    .usage('[command] [options]')
    .helpCommand(false)
    .version(manifest.version)
    .configureOutput({ outputError: (text, write) => write(`${printable(withHint(oneLine(text)))}\n`) })
    .exitOverride()
  const serve = addServe(program, start)
  addValidate(program)
  addScenarios(program)
  for (const { commands } of gatewaySetup.extras) await commands?.(program, gatewaySetup.extras)
  program
    .command('help')
    .description("Print a command's help.")
    .argument('[command]')
    .action((name?: string) => findCommand(program, name).help())
  program.addHelpText('after', () => `\n${flagHelp(serve)}\n\n${environmentHelp}\n\n${examples}`)
  return program
}

/** Returns the flag groups from the help for `serve`, without usage and description. */
function flagHelp(serve: Command): string {
  const help = serve.helpInformation()
  return help.slice(help.indexOf('Server:'), help.indexOf('Options:')).trim()
}

function findCommand(program: Command, name: string | undefined): Command {
  const command = name === undefined ? program : program.commands.find((each) => each.name() === name)
  return command ?? unknownCommand(program, name)
}

function unknownCommand({ commands }: Command, name = ''): never {
  const names = commands.map((command) => command.name())
  const hint = meantBy(name, names) || `: see --help, or activate a scenario with --scenario ${name}`
  throw new UsageError(`Unknown command '${name}'${hint}`)
}

function addServe(program: Command, start: Start): Command {
  const serve = program
    .command('serve', { isDefault: true })
    .description('Start the server (default command).')
    .addHelpText('after', `\n${environmentHelp}`)
    .optionsGroup('Server:')
    .option('--port <number>', 'port to listen on; 0 picks a free port', toPort, 4141)
    .option(
      '--host <address>',
      'address to listen on; if not loopback, control requests require a token',
      '127.0.0.1',
    )
    .option('--config <file>', 'createGateway options, in a .yaml or .json file')
    .option('--watch', 'reload scenario files when they change')
    .option('--open', 'open the console in the browser')
    .option('--no-console', 'do not serve the console at /__understudy/')
    .option('--quiet', 'do not log requests')
    .option('--json', 'print one line of JSON when ready, and log requests on stderr')
    .option('--stop-with-stdin', 'stop when stdin closes, as it does when the parent process exits')
    .optionsGroup('Behaviour:')
    .option(
      '--scenario <names|files>',
      'scenarios to activate: bundled names, or .yaml or .json files; may be repeated',
      collect,
    )
    .option('--seed <seed>', 'seed for all generated data (default: 1)', toSeed)
    .option('--time-scale <factor>', 'factor for all delays; 0 skips them (default: 1)', toFactor)
    .option(
      '--extensions, --extension <groups>',
      'operations outside the specification, such as chat,models; may be repeated',
      collect,
    )
  addExtraFlags(serve)
  serve
    .optionsGroup('Access:')
    .option('--token <token>', 'bearer token that control requests require', toToken)
    .option('--token-file <file>', 'file with the token')
    .option(
      '--allowed-host <names>',
      'accepted host names, in addition to loopback; may be repeated',
      collect,
    )
    .option(
      '--allowed-origin <origins>',
      'origins allowed to call the API, in addition to loopback; * allows all; may be repeated',
      collect,
    )
    .option('--tls-cert <file>', 'serve HTTPS with this certificate, a PEM file')
    .option('--tls-key <file>', "the certificate's private key, a PEM file")
    .option('--no-default', 'reject requests that do not select a sandbox')
    .allowExcessArguments()
    .action(async (flags) => {
      const [word] = serve.args
      if (word !== undefined) unknownCommand(program, word)
      const command = await import('./serve-command.ts')
      await command.serve(flags, start)
    })
  return readEnvironment(serve)
}

function addExtraFlags(serve: Command): void {
  const flags = gatewaySetup.extras.flatMap(({ flags = [] }) => flags)
  for (const flag of flags.toSorted((left, right) => left.group.localeCompare(right.group)))
    serve.addOption(toOption(flag).helpGroup(`${flag.group}:`))
}

function toOption({ flags, description, choices }: Flag): Option {
  const option = new Option(flags, description)
  return choices ? option.choices(choices) : option
}

function addValidate(program: Command): void {
  program
    .command('validate')
    .description('Check scenario, fixture and configuration files.')
    .argument(
      '<files...>',
      'scenarios and configurations (.yaml, .json), and fixtures named after their collection',
    )
    .option('--json', 'print the problems as JSON')
    .action(async (files: string[], { json }: { json?: true }) => {
      const { validateFiles } = await import('./validate.ts')
      const problems = validateFiles(files)
      if (problems.length > 0) process.exitCode = 2
      if (json) print(JSON.stringify({ problems }, null, 2))
      else if (problems.length > 0) printError(problems.map(formatProblem).join('\n'))
      else print(files.length === 1 ? `${files[0]} is valid` : `All ${files.length} files are valid`)
    })
}

function addScenarios(program: Command): void {
  const scenarios = program.command('scenarios').description('List bundled scenarios.').helpCommand(false)
  scenarios
    .command('list', { isDefault: true })
    .description('List bundled scenarios with their effect on clients.')
    .action(async () => {
      const { bundledScenarios } = await import('../scenarios/bundled.ts')
      const width = Math.max(...[...bundledScenarios.keys()].map((name) => name.length))
      for (const { name, description } of bundledScenarios.values())
        print(`${name.padEnd(width)}  ${description}`)
    })
  scenarios
    .command('show')
    .description('Print a bundled scenario, as a starting point for your own.')
    .argument('<name>')
    .action(async (name: string) => {
      const { bundledScenario } = await import('../scenarios/bundled.ts')
      print(JSON.stringify(bundledScenario(name), null, 2))
    })
}

/** Adds a hint to Commander's message, if there is one. */
function withHint(text: string): string {
  const [, flag] = /unknown option '([^']+)'/.exec(text) ?? []
  if (/--extension .*argument missing/.test(text))
    return `${text}: one or more of ${extensionNames.join(', ')}`
  return flag === undefined || text.includes('Did you mean')
    ? text
    : `${text}: see --help, or set it in the --config file`
}

function toPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('A port must be a whole number from 0 to 65535.')
}

function toFactor(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A factor must be a number, 0 or more.')
}

/** Parses a seed. Digits become a number, so that `--seed 7` equals `seed: 7` in code and configuration files. */
function toSeed(text: string): string | number {
  if (text === '') throw new InvalidArgumentError('A seed must be a whole number or a word.')
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}
