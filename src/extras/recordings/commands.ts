/**
 * Declares the `record`, `import`, `export`, `scan`, `drift` and `profile` commands. Each command loads its module
 * when it runs.
 */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { AnyExtra } from '../../gateway/extra.ts'
import { collect, environmentHelp, readEnvironment, toToken } from '../../lib/flags.ts'
import { UsageError } from '../../lib/usage-error.ts'

export function addRecordingCommands(program: Command, extras: readonly AnyExtra[]): void {
  const record = program
    .command('record')
    .description('Record a real gateway through a proxy.')
    .requiredOption('--upstream <url>', 'base URL of the real gateway', toBaseUrl)
    .option('--out <folder>', 'folder for recordings', 'recordings')
    .option(
      '--key-env <name>',
      "environment variable with the key for the upstream (default: the client's key)",
    )
    .addOption(new Option('--new', 'record only requests without a recording (default)').conflicts('all'))
    .option('--all', 'record every request, and replace existing recordings')
    .option(
      '--redact <file>',
      'redaction rules, in a .yaml or .json file: headers, fields, patterns, values, ignoreFields',
    )
    .option('--redact-text', redactText)
    .option('--ignore-field <path>', 'body field to ignore when comparing requests; may be repeated', collect)
    .option('--dialect <name>', dialect, 'neutral')
    .option('--port <number>', 'port to listen on; 0 picks a free port', toWholeNumber, 4142)
    .option(
      '--host <address>',
      'address to listen on; if not loopback, requests require a token',
      '127.0.0.1',
    )
    .option(
      '--allowed-host <names>',
      'accepted host names, in addition to loopback; may be repeated',
      collect,
    )
    .option(
      '--token <token>',
      'token required in every request (default: generated unless listening on loopback)',
      toToken,
    )
    .option(
      '--idle-ms <milliseconds>',
      'end an exchange if the upstream sends no data for this long',
      toWholeNumber,
      120_000,
    )
    .option('--allow-ci', 'record even if CI is set')
    .option('--quiet', 'print only the summary and a generated token')
    .option('--json', 'print one line of JSON when ready, one per exchange, and one for the summary')
    .addHelpText(
      'after',
      '\nClients send the token in the x-understudy-token header. With --key-env it can also be their API key.',
    )
    .action(async (flags) => {
      const command = await import('./record.ts')
      await command.record(flags)
    })
  readEnvironment(record).addHelpText('after', `\n${environmentHelp}`)

  program
    .command('import')
    .description('Convert HAR files, event streams or journals to recordings.')
    .addArgument(
      new Argument('<kind>', 'HAR file, event stream body, or Understudy journal').choices([
        'har',
        'sse',
        'journal',
      ]),
    )
    .argument('<files...>')
    .option('--out <folder>', 'folder for recordings', 'recordings')
    .option('--base <path|url>', "the gateway's base path or base URL", '/api/v1')
    .option(
      '--request <file>',
      "for sse: the stream's request, as { method, path, body } in a .yaml or .json file",
    )
    .option('--redact <file>', redact)
    .option('--redact-text', redactText)
    .option('--dialect <name>', dialect, 'neutral')
    .option('--quiet', 'print only problems')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      "\nWithout --request, an event stream's recording does not match any request: use its path as a scenario.",
    )
    .action(async (kind, files: string[], flags) => {
      const { importFiles } = await import('./import.ts')
      await importFiles(kind, files, flags)
    })

  program
    .command('export')
    .description('Print a journal entry as a recording, a scenario rule, or a fixture.')
    .argument('<journal>', 'journal file, as returned by /__understudy/sandboxes/default/journal')
    .addOption(
      new Option('--as <form>', 'output format')
        .choices(['recording', 'rule', 'fixture'])
        .default('recording'),
    )
    .option('--entry <id>', "the entry's x-request-id (default: the last entry)")
    .action(async (file: string, flags) => {
      const { exportFromFile } = await import('./export.ts')
      await exportFromFile(file, flags)
    })

  program
    .command('scan')
    .description('Find secrets in recordings or other files. Reports file, line and kind.')
    .argument('<folder>', 'folder to search')
    .option('--redact <file>', redact)
    .option('--quiet', 'do not print a summary')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExit code: 0 if there are no secrets, 1 if secrets were found, 2 if a file cannot be read.',
    )
    .action(async (folder: string, flags) => {
      const { scan } = await import('./scan.ts')
      await scan(folder, flags)
    })

  program
    .command('drift')
    .description(
      'Compare shapes (not values) in Understudy, an OpenAPI document, recordings and a real gateway.',
    )
    .option('--spec <file|url>', 'OpenAPI document, as JSON or YAML')
    .option('--recordings <folder>', 'folder of recordings to compare')
    .option('--live', 'send requests to a real gateway; requires --upstream')
    .option('--upstream <url>', 'base URL of the real gateway', toBaseUrl)
    .option('--key-env <name>', 'environment variable with the key for the upstream')
    .option('--model <name>', 'model to call on the real gateway')
    .option(
      '--budget-usd <amount>',
      'maximum cost of model calls in US dollars; a call without a stated cost counts as 0.01',
      toAmount,
      0.05,
    )
    .option('--dialect <name>', "compare Understudy in this dialect, and use only this vendor's recordings")
    .addOption(new Option('--json', 'print JSON').conflicts(['markdown', 'sarif']))
    .addOption(new Option('--markdown', 'print Markdown').conflicts('sarif'))
    .option('--sarif', 'print SARIF 2.1.0')
    .addOption(
      new Option('--fail-on <severity>', 'lowest severity that sets exit code 1')
        .choices(['breaking', 'any'])
        .default('breaking'),
    )
    .option(
      '--baseline <file>',
      'accepted findings in a .yaml or .json file, each with a reason and an expiry date',
    )
    .option('--quiet', 'print only the summary')
    .addHelpText(
      'after',
      '\nExit code: 0 if there is no drift, 1 if there is drift, 2 if the check is incomplete.',
    )
    .action(async (flags) => {
      const command = await import('./drift-command.ts')
      await command.drift(flags, extras)
    })

  program
    .command('profile')
    .description(
      'Print a latency profile of recordings as JSON, with quantiles of delays and lengths by model.',
    )
    .argument('<folder>')
    .action(async (folder: string) => {
      const { profile } = await import('./latency-profile.ts')
      profile(folder)
    })
}

// Descriptions of flags that several commands share.
const redact = 'additional secrets, as for record'
const redactText = 'replace prompts and answers with filler text of the same shape'
const dialect = 'vendor name to store in recordings'

function toWholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

function toAmount(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('An amount must be a number, 0 or more.')
}

function toBaseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url
  // An InvalidArgumentError's message would quote credentials in the URL.
  throw new UsageError('--upstream must be a base URL such as https://gateway.example/api/v1')
}
