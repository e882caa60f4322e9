/**
 * The command line: `serve`, which needs no name, `validate`, `scenarios` and `openapi`. Whatever is wrong with what a
 * person gave is one line, and exit code 2.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import type { Flag } from '../gateway/extra.ts'
import { FileError, inOneLine } from '../lib/data-file.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { collect, readEnvironment, toToken } from '../lib/flags.ts'
import { oneLine } from '../lib/one-line.ts'
import { print, printable, printError } from '../lib/print.ts'
import { renamed } from '../lib/renamed.ts'
import { UsageError } from '../lib/usage-error.ts'
import type { ExtensionName } from '../sandbox/options-input.ts'
import { ScenarioError } from '../scenarios/check-scenario.ts'
import { gatewaySetup } from './scenario-file.ts'
import type { Start } from './serve-command.ts'

/** @param start `startServer`. */
export async function run(args: readonly string[], start: Start): Promise<void> {
  const program = await toProgram(start)
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = exitCodeOf(error)
  }
}

function exitCodeOf(error: unknown): number {
  // Commander has said what is wrong, or what was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const isTheirs = [UsageError, FileError, ScenarioError].some((kind) => error instanceof kind)
  if (!isTheirs) throw error
  printError(`error: ${(error as Error).message}`)
  return 2
}

async function toProgram(start: Start): Promise<Command> {
  const program = new Command('gateway-understudy')
    .description('Plays the Model Gateway API on this machine: seeded, instant, and able to fail on purpose.')
    .version(manifest.version)
    .configureOutput({ outputError: (text, write) => write(`${printable(withNewName(oneLine(text)))}\n`) })
    .exitOverride()
  const serve = addServe(program, start)
  addValidate(program)
  addScenarios(program)
  addOpenapi(program)
  for (const { commands } of gatewaySetup.extras) await commands?.(program)
  program.addHelpText('after', () => `\nWithout a command it serves:\n\n${serve.helpInformation()}`)
  return program
}

function addServe(program: Command, start: Start): Command {
  const serve = program
    .command('serve', { isDefault: true })
    .description('Start the server.')
    .option('--port <number>', 'port to listen on; 0 takes any free one', toPort, 4141)
    .option(
      '--host <address>',
      'address to listen on; beyond loopback, control requests need a token',
      '127.0.0.1',
    )
    .option('--allowed-host <names>', 'other names that requests may come by; may be repeated', collect)
    .option(
      '--allowed-origin <origins>',
      'origins whose pages may call the API, beside loopback; * for all; may be repeated',
      collect,
    )
    .option('--seed <seed>', 'fixes everything random (default: 1)', toSeed)
    .option(
      '--scenario <names|files>',
      'scenarios in force, by name or .yaml or .json file; may be repeated',
      collect,
    )
    .option('--token <token>', 'what control requests must carry as their bearer', toToken)
    .option('--token-file <file>', 'a file that holds the token')
    .option('--watch', 'reload scenario files when they change')
    .option('--quiet', 'print no line for each request')
    .option('--json', 'print one line of JSON when ready, and requests on stderr')
    .option('--open', 'open the console in the browser')
    .option('--no-console', 'serve no console at /__understudy/')
    .option(
      '--node <name>',
      'name of this server among several, as n3; auto takes the number of the host name',
    )
    .option('--advertise <url>', 'where this very server is reached past a balancer', toOrigin)
    .option('--no-default', 'refuse requests that name no sandbox')
    .option(
      '--drain-ms <milliseconds>',
      'how long SIGTERM waits at most for sandboxes in use, taking no new ones',
      toMilliseconds,
      0,
    )
    .option('--time-scale <factor>', 'factor on waits; 0 makes them instant (default: 1)', toFactor)
    .option('--extension <groups>', 'operations outside the specification, as chat; may be repeated', collect)
    .option('--config <file>', 'options of createGateway, in a .yaml or .json file')
    .allowExcessArguments()
    .action(async (flags) => {
      const [word] = serve.args
      const commands = program.commands.map((command) => command.name())
      if (word !== undefined) throw new UsageError(`Unknown command '${word}'${didYouMean(word, commands)}`)
      const command = await import('./serve-command.ts')
      await command.serve(flags, start)
    })
  for (const flag of gatewaySetup.extras.flatMap(({ flags = [] }) => flags)) serve.addOption(toOption(flag))
  return readEnvironment(serve)
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
      'scenarios and configurations as .yaml or .json; fixtures by the names of their collections',
    )
    .option('--json', 'print the problems as JSON')
    .action(async (files: string[], { json }: { json?: true }) => {
      const { validateFiles } = await import('./validate.ts')
      const problems = validateFiles(files)
      if (problems.length > 0) process.exitCode = 2
      if (json) print(JSON.stringify({ problems }, null, 2))
      else if (problems.length > 0) printError(problems.map(inOneLine).join('\n'))
      else print(files.length === 1 ? `${files[0]} can be used` : `All ${files.length} files can be used`)
    })
}

function addScenarios(program: Command): void {
  const scenarios = program.command('scenarios').description('Show the scenarios that come with it.')
  scenarios
    .command('list', { isDefault: true })
    .description('List them, and what a client sees of each.')
    .action(async () => {
      const { bundledScenarios } = await import('../scenarios/bundled.ts')
      const width = Math.max(...[...bundledScenarios.keys()].map((name) => name.length))
      for (const { name, description } of bundledScenarios.values())
        print(`${name.padEnd(width)}  ${description}`)
    })
  scenarios
    .command('show')
    .description('Print one, as a file to begin your own with.')
    .argument('<name>')
    .action(async (name: string) => {
      const { bundledScenario } = await import('../scenarios/bundled.ts')
      print(JSON.stringify(bundledScenario(name), null, 2))
    })
}

function addOpenapi(program: Command): void {
  const command = program
    .command('openapi')
    .description('Print the OpenAPI document of the API.')
    .option('--control', 'that of the control API instead')
    .option('--extension <names>', 'with these extensions, divided by commas')
    .action(async ({ control, extension, ...ofExtras }: { control?: true; extension?: string }) => {
      const { apiDocument, controlDocument } = await import('../control/documents.ts')
      const { controlOperations } = await import('../control/control.ts')
      const { toGateway } = await import('./config-file.ts')
      const extensions = extension?.split(',') as ExtensionName[] | undefined
      const gateway = toGateway({ ...ofExtras, extensions })
      const document = control ? controlDocument(await controlOperations(gateway)) : apiDocument(gateway)
      print(JSON.stringify(document, null, 2))
    })
  for (const { flags = [] } of gatewaySetup.extras)
    for (const flag of flags)
      if (flag.ofDocument) command.addOption(toOption({ ...flag, description: flag.ofDocument }))
}

/** Replaces the end of Commander's message if a flag, or its value, has a new name. */
function withNewName(text: string): string {
  const [, flag] = /unknown option '([^']+)'/.exec(text) ?? []
  const [, value, choices = ''] = /'([^']+)' is invalid\. Allowed choices are (.+)\./.exec(text) ?? []
  const now = flag === undefined ? renamed(value, choices.split(', ')) : renamed(flag)
  return now === undefined ? text : `error: ${now}`
}

function toPort(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.')
}

function toMilliseconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Milliseconds are a whole number.')
}

function toOrigin(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol)) return url.origin
  throw new InvalidArgumentError('Give an address such as http://10.0.0.7:4141.')
}

function toFactor(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A factor is a number, 0 or more.')
}

/** Digits are a number, as in code and in a config file. */
function toSeed(text: string): string | number {
  if (text === '') throw new InvalidArgumentError('A seed is a whole number or a word.')
  return /^-?\d{1,15}$/.test(text) ? Number(text) : text
}
