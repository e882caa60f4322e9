/**
 * The commands `record`, `import`, `export`, `scan`, `drift` and `profile`. The module of each is loaded when it runs.
 */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { collect, readEnvironment, toToken, toWholeNumber } from '../../lib/flags.ts'
import { UsageError } from '../../lib/usage-error.ts'

export function addRecordingCommands(program: Command): void {
  const record = program
    .command('record')
    .description('Record a real gateway through a proxy.')
    .requiredOption('--upstream <url>', 'base address of the real gateway', toBaseUrl)
    .option('--out <folder>', 'folder for recordings', 'recordings')
    .option('--key-env <name>', 'variable with the key for the upstream; default: the key of the client')
    .addOption(new Option('--new', 'record requests that are not recorded yet (default)').conflicts('all'))
    .option('--all', 'record every request, and replace old recordings')
    .option(
      '--redact <file>',
      'further secrets, as .yaml or .json: headers, fields, patterns, values, ignoreFields',
    )
    .option('--redact-text', redactText)
    .option('--ignore-field <path>', 'body field to ignore when comparing requests; may be repeated', collect)
    .option('--dialect <name>', dialect, 'neutral')
    .option('--port <number>', 'port to listen on; 0 takes any free one', toWholeNumber, 4142)
    .option('--host <address>', 'address to listen on; beyond loopback, requests need a token', '127.0.0.1')
    .option('--allowed-host <names>', 'other host names that requests may use; may be repeated', collect)
    .option(
      '--token <token>',
      'token that every request must have; default: one is made beyond loopback',
      toToken,
    )
    .option(
      '--idle-ms <milliseconds>',
      'silence of the upstream that ends an exchange',
      toWholeNumber,
      120_000,
    )
    .option('--allow-ci', 'record even if CI is set')
    .option('--quiet', 'print only the summary, and a token that was made')
    .option('--json', 'print one line of JSON when ready, one per exchange, and the summary')
    .addHelpText(
      'after',
      '\nClients send the token in the header x-understudy-token. With --key-env it can also be their API key.',
    )
    .action(async (flags) => {
      const command = await import('./record.ts')
      await command.record(flags)
    })
  readEnvironment(record)

  program
    .command('import')
    .description('Convert HAR files, event streams or journals to recordings.')
    .addArgument(
      new Argument('<kind>', 'HAR, the body of an event stream, our own journal').choices([
        'har',
        'sse',
        'journal',
      ]),
    )
    .argument('<files...>')
    .option('--out <folder>', 'folder for recordings', 'recordings')
    .option('--base <path|url>', 'prefix of the paths of the gateway, or its base address', '/api/v1')
    .option('--request <file>', 'for sse: its request, { method, path, body } as .yaml or .json')
    .option('--redact <file>', redact)
    .option('--redact-text', redactText)
    .option('--dialect <name>', dialect, 'neutral')
    .option('--quiet', 'print only problems')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nWithout --request, the recording of an event stream matches no request: use it by its path, as a scenario.',
    )
    .action(async (kind, files: string[], flags) => {
      const { importFiles } = await import('./import.ts')
      await importFiles(kind, files, flags)
    })

  program
    .command('export')
    .description('Print a journal entry as a recording, a rule of a scenario, or a fixture.')
    .argument('<journal>', 'file with a reply of /__understudy/sandboxes/default/journal')
    .addOption(
      new Option('--as <form>', 'form').choices(['recording', 'rule', 'fixture']).default('recording'),
    )
    .option('--entry <id>', 'x-request-id of the entry (default: the last entry)')
    .action(async (file: string, flags) => {
      const { exportFromFile } = await import('./export.ts')
      await exportFromFile(file, flags)
    })

  program
    .command('scan')
    .description('Find secrets in recordings, or in any other files: file, line and kind.')
    .argument('<folder>', 'folder with files of any kind')
    .option('--redact <file>', redact)
    .option('--quiet', 'print no summary')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExit code: 0 no secrets, 1 secrets found, 2 a file cannot be read.')
    .action(async (folder: string, flags) => {
      const { scan } = await import('./scan.ts')
      await scan(folder, flags)
    })

  program
    .command('drift')
    .description(
      'Compare shapes, never values, between Understudy, a document, recordings and a real gateway.',
    )
    .option('--spec <file|url>', 'OpenAPI document, as JSON or YAML')
    .option('--recordings <folder>', 'recordings')
    .option('--live', 'send requests to a real gateway; needs --upstream')
    .option('--upstream <url>', 'base address of the real gateway', toBaseUrl)
    .option('--key-env <name>', 'variable with the key for the upstream')
    .option('--model <name>', 'model for answers of the real gateway')
    .option(
      '--budget-usd <amount>',
      'maximum cost of these answers; one without a price costs 0.01',
      toAmount,
      0.05,
    )
    .option('--dialect <name>', 'only recordings of this vendor')
    .addOption(new Option('--json', 'print JSON').conflicts(['markdown', 'sarif']))
    .addOption(new Option('--markdown', 'print Markdown').conflicts('sarif'))
    .option('--sarif', 'print SARIF 2.1.0')
    .addOption(
      new Option('--fail-on <severity>', 'findings that set exit code 1')
        .choices(['breaking', 'any'])
        .default('breaking'),
    )
    .option('--baseline <file>', 'accepted findings, as .yaml or .json, each with a reason and a last day')
    .option('--quiet', 'print only the summary')
    .addHelpText('after', '\nExit code: 0 no drift, 1 drift, 2 something could not be checked.')
    .action(async (flags) => {
      const command = await import('./drift-command.ts')
      await command.drift(flags)
    })

  program
    .command('profile')
    .description('Print a latency profile of recordings as JSON: quantiles of times and lengths, by model.')
    .argument('<folder>')
    .action(async (folder: string) => {
      const { profile } = await import('./latency-profile.ts')
      profile(folder)
    })
}

// The words of flags that several commands have.
const redact = 'further secrets, as for record'
const redactText = 'turn prompts and answers into filler of the same shape'
const dialect = 'name of the vendor in the recordings'

function toAmount(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('An amount is a number, 0 or more.')
}

function toBaseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url
  // Not an InvalidArgumentError, whose message quotes the value: it may have credentials.
  throw new UsageError('--upstream must be a base address such as https://gateway.example/api/v1')
}
