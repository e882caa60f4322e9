/**
 * The commands around the real gateway: `record`, `import`, `export`, `scan`, `drift` and `profile`. What each does is loaded when
 * it is asked for.
 */
import type { Command } from 'commander'
import { Argument, InvalidArgumentError, Option } from 'commander'
import { readEnvironment } from './environment.ts'

export function addContractCommands(program: Command): void {
  addRecord(program)
  addImport(program)
  addExport(program)
  addScan(program)
  addDrift(program)
  addProfile(program)
}

const collect = (value: string, before: string[] = []) => [...before, ...value.split(',')]

function addRecord(program: Command): void {
  const record = program
    .command('record')
    .description('Tape what a real gateway answers: a proxy that passes everything on as it comes.')
    .requiredOption('--upstream <url>', 'base address of the real gateway', toBaseUrl)
    .option('--out <folder>', 'where tapes go', 'recordings')
    .option('--key-env <name>', 'variable that holds the key for upstream; default: what clients send')
    .addOption(new Option('--new', 'tape requests that have no tape yet (default)').conflicts('all'))
    .option('--all', 'tape every request; its older tapes go')
    .option(
      '--redact <file>',
      'further secrets, as .yaml or .json: headers, fields, patterns, values, volatile',
    )
    .option('--redact-text', 'turn prompts and answers into filler of the same shape')
    .option('--volatile <paths>', 'fields of a body that do not count when requests are compared', collect)
    .option('--dialect <name>', 'what the vendor is called in the tapes', 'neutral')
    .option('--port <number>', 'port to listen on; 0 takes any free one', toNumber, 4142)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--idle-ms <milliseconds>', 'silence of upstream after which it has ended', toNumber, 120_000)
    .option('--allow-ci', 'record also where CI is set')
    .option('--quiet', 'print the summary alone')
    .option('--json', 'print one line of JSON when ready, one for each exchange, and the summary as the last')
    .action(async (flags) => {
      const command = await import('./record-command.ts')
      await command.record(flags)
    })
  readEnvironment(record)
}

function addImport(program: Command): void {
  program
    .command('import')
    .description('Make tapes of what other tools kept.')
    .addArgument(
      new Argument('<kind>', 'HAR, curl commands, what curl -N printed, our own journal').choices([
        'har',
        'curl',
        'sse',
        'journal',
      ]),
    )
    .argument('<files...>')
    .option('--out <folder>', 'where tapes go', 'recordings')
    .option('--base <path|url>', 'what the addresses of the gateway have before their path', '/api/v1')
    .option('--request <file>', 'for sse: its request, as { method, path, body } or a curl command')
    .option('--redact <file>', 'further secrets, as for record')
    .option('--redact-text', 'turn prompts and answers into filler of the same shape')
    .option('--dialect <name>', 'what the vendor is called in the tapes', 'neutral')
    .option('--quiet', 'print problems alone')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      '\nA curl command has no reply, and a capture no request: such a tape answers nothing until it gets the other half.',
    )
    .action(async (kind, files: string[], flags) => {
      const { importFiles } = await import('./import-command.ts')
      await importFiles(kind, files, flags)
    })
}

function addExport(program: Command): void {
  program
    .command('export')
    .description('Print one entry of a journal as a tape, the rule of a scenario, or a fixture.')
    .argument('<journal>', 'file with what /__understudy/sandboxes/default/journal gives')
    .addOption(
      new Option('--as <form>', 'what to make of it').choices(['tape', 'rule', 'fixture']).default('tape'),
    )
    .option('--entry <id>', 'its x-request-id (default: the last entry)')
    .action(async (file: string, flags) => {
      const { exportEntry } = await import('./export-command.ts')
      await exportEntry(file, flags)
    })
}

function addProfile(program: Command): void {
  program
    .command('profile')
    .description('Print a latency profile of tapes as JSON: quantiles of times and lengths, by model.')
    .argument('<folder>')
    .action(async (folder: string) => {
      const { profile } = await import('./profile-command.ts')
      profile(folder)
    })
}

function addScan(program: Command): void {
  program
    .command('scan')
    .description('Look for secrets that are left in recordings, or in any other files: file, line and kind.')
    .argument('<folder>', 'every file in it is read, whatever it holds')
    .option('--redact <file>', 'further secrets, as for record')
    .option('--quiet', 'print no summary')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', '\nExit code: 0 none, 1 secrets are left, 2 a file cannot be read.')
    .action(async (folder: string, flags) => {
      const { scan } = await import('./scan-command.ts')
      await scan(folder, flags)
    })
}

function addDrift(program: Command): void {
  program
    .command('drift')
    .description('Compare shapes, never values, between the double, a document, tapes and a real gateway.')
    .option('--spec <file|url>', 'OpenAPI document, as JSON or YAML')
    .option('--recordings <folder>', 'tapes')
    .option('--live', 'ask a real gateway; needs --upstream')
    .option('--upstream <url>', 'its base address', toBaseUrl)
    .option('--key-env <name>', 'variable that holds the key for it')
    .option('--model <name>', 'the model that is asked')
    .option('--budget <amount>', 'what its answers may cost; one without a price counts 0.01', toAmount, 0.05)
    .option('--dialect <name>', 'only tapes of this vendor')
    .addOption(new Option('--json', 'print JSON').conflicts(['markdown', 'sarif']))
    .addOption(new Option('--markdown', 'print Markdown').conflicts('sarif'))
    .option('--sarif', 'print SARIF 2.1.0')
    .addOption(
      new Option('--fail-on <what>', 'what exit code 1 is for')
        .choices(['breaking', 'any'])
        .default('breaking'),
    )
    .option('--baseline <file>', 'accepted findings, as .yaml or .json, each with a reason and a last day')
    .option('--quiet', 'print the summary alone')
    .addHelpText('after', '\nExit code: 0 no drift, 1 drift, 2 something could not be checked.')
    .action(async (flags) => {
      const command = await import('./drift-command.ts')
      await command.drift(flags)
    })
}

function toAmount(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('An amount is a number, 0 or more.')
}

function toBaseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.search === '') return url
  throw new InvalidArgumentError('Give a base address such as https://gateway.example/api/v1.')
}

function toNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A whole number is needed.')
}
