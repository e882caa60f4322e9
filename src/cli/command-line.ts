/** The command line. `serve` is the default command. For invalid input, prints one line and sets exit code 2. */
import { Command, CommanderError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { optionsOf } from '../gateway/extra.ts'
import { FileError, formatProblem } from '../lib/data-file.ts'
import { meantBy } from '../lib/did-you-mean.ts'
import { environmentHelp, readEnvironment } from '../lib/flags.ts'
import { oneLine } from '../lib/one-line.ts'
import { print, printable, printError } from '../lib/print.ts'
import { UsageError } from '../lib/usage-error.ts'
import { gatewayOptions } from '../sandbox/options.ts'
import { ScenarioError } from '../scenarios/scenario-error.ts'
import { serverOptions } from '../server/server-options.ts'
import { gatewaySetup } from '../setup.ts'
import { addFlags, parserOf } from './flags.ts'
import type { Start } from './serve-command.ts'

const lists =
  'Flags that take names, files, hosts or origins can be repeated, or take several comma-separated values.'

const examples = `Examples:
  Run a command whose OpenAI, Anthropic and OpenRouter clients use the mock:
  $ gateway-understudy run -- npm test

  Simulate rate limits:
  $ gateway-understudy --scenario rate-limited

  Accept requests from other machines, as in a container:
  $ gateway-understudy --host 0.0.0.0 --port 8080 --token "$TOKEN" --allowed-host mock-gateway

  Record a real gateway, then replay the recordings:
  $ gateway-understudy record --upstream https://gateway.example/api/v1
  $ gateway-understudy --recordings recordings`

/** Runs a command. `start` is `startServer`, passed in because only entry points may import it. */
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

export async function toProgram(start: Start): Promise<Command> {
  const program = new Command('gateway-understudy')
    .description('A mock Model Gateway: in memory, offline, deterministic, with faults on demand.')
    .usage('[command] [options]')
    .helpCommand('help [command]', "Print a command's help.")
    .enablePositionalOptions()
    .version(manifest.version)
    .configureOutput({ outputError: (text, write) => write(`${printable(withHint(oneLine(text)))}\n`) })
    .exitOverride()
  const serve = addServe(program, start)
  addRun(program, start)
  addValidate(program)
  addScenarios(program)
  for (const { commands } of gatewaySetup.extras) await commands?.(program, gatewaySetup.extras)
  program.addHelpText('after', () => {
    const help = serve.helpInformation()
    const flags = help.slice(help.indexOf('Server:'), help.indexOf('Options:')).trim()
    return `\n${flags}\n\n${lists}\n${environmentHelp}\n\n${examples}`
  })
  return program
}

function addServe(program: Command, start: Start): Command {
  const serve = program
    .command('serve', { isDefault: true })
    .description('Start the server (default command).')
    .addHelpText('after', `\n${environmentHelp}`)
    .optionsGroup('Server:')
    .option(
      '--port <number>',
      'port to listen on; 0 picks a free port',
      parserOf(serverOptions.port, '--port'),
      4141,
    )
  addFlags(serve, serverOptions)
  serve
    .option('--quiet', 'do not log requests')
    .option('--json', 'print one line of JSON when ready, and log requests on stderr')
    .option('--stop-on-stdin-close', 'stop when stdin closes, as it does when the parent process exits')
  addBehaviour(serve)
  serve.allowExcessArguments().action(async () => {
    const [word] = serve.args
    if (word !== undefined) {
      const names = program.commands.map((command) => command.name())
      const hint = /^\d+$/.test(word)
        ? `: to choose the port, write --port ${word}`
        : meantBy(word, names) || ': write serve, or see --help; --scenario activates a scenario'
      throw new UsageError(`Unknown command '${word}'${hint}`)
    }
    const command = await import('./serve-command.ts')
    await command.serve(serve, start)
  })
  return readEnvironment(serve)
}

function addRun(program: Command, start: Start): void {
  const run = program
    .command('run')
    .usage('[options] -- <command>')
    .description('Run a command with its SDKs pointed at a new server, and print its calls.')
    .argument('<command...>')
    .passThroughOptions()
    .addHelpText('after', `\n${environmentHelp}`)
  addBehaviour(run)
  readEnvironment(run).action(async (words: string[]) => {
    const { runWithServer } = await import('./run-command.ts')
    await runWithServer(run, words, start)
  })
}

function addBehaviour(command: Command): void {
  command
    .optionsGroup('Behaviour:')
    .option('--config <file>', 'createGateway options, in a .yaml or .json file')
    .option(
      '--scenario <names|files>',
      'scenarios to activate: names of bundled scenarios and faults, or .yaml or .json files',
      parserOf(gatewayOptions.scenarios, '--scenario'),
    )
  addFlags(command, optionsOf(gatewaySetup.extras))
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

function withHint(text: string): string {
  if (text.endsWith('argument missing')) return `${text}: see --help`
  return !text.includes('unknown option') || text.includes('Did you mean')
    ? text
    : `${text}: see --help, or set it in the --config file`
}
