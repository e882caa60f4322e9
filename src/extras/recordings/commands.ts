/** Declares the `record`, `import` and `drift` commands. Each command loads its module when it runs. */
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import type { AnyExtra } from '../../gateway/extra.ts'
import { environmentHelp, readEnvironment } from '../../lib/flags.ts'
import { UsageError } from '../../lib/usage-error.ts'

export function addRecordingCommands(program: Command, extras: readonly AnyExtra[]): void {
  const record = program
    .command('record')
    .description('Record a real gateway through a proxy.')
    .requiredOption('--upstream <url>', 'base URL of the real gateway', toBaseUrl)
    .option('--recordings <folder>', 'folder for recordings', 'recordings')
    .option('--key-env <name>', "environment variable with the upstream's key (default: the client's key)")
    .option('--all', 'record every request, and replace existing recordings')
    .option('--redact <file>', redact)
    .option(
      '--ignore-field <path>',
      'body field or query parameter (such as query.t) to ignore when comparing requests; may be repeated',
      collect,
    )
    .option('--dialect <name>', dialect, 'neutral')
    .option('--port <number>', 'port to listen on; 0 picks a free port', toWholeNumber, 4142)
    .option('--host <address>', 'address to listen on; if not loopback, requires a token', '127.0.0.1')
    .option('--allowed-host <names>', 'accepted host names besides loopback; may be repeated', collect)
    .option('--token <token>', 'token that requests need (default: generated unless on loopback)', toToken)
    .option('--idle-ms <milliseconds>', 'end a call after this time without data', toWholeNumber, 120_000)
    .option('--allow-ci', 'record even if CI is set')
    .option('--quiet', 'print only the summary and a generated token')
    .option('--json', 'print one line of JSON when ready, one per call, and one for the summary')
    .addHelpText(
      'after',
      '\nClients send the token in x-understudy-token, or as their API key with --key-env.',
    )
    .action(async (flags) => {
      const command = await import('./record.ts')
      await command.record(flags)
    })
  readEnvironment(record).addHelpText('after', `\n${environmentHelp}`)

  program
    .command('import')
    .description('Convert HAR files, VCR cassettes or event streams to recordings.')
    .addArgument(new Argument('<kind>', 'kind of file').choices(['har', 'vcr', 'sse']))
    .argument('<files...>')
    .option('--recordings <folder>', 'folder for recordings', 'recordings')
    .option(
      '--base <path|url>',
      "the gateway's base path or base URL (default: /api/v1, and /v1 at OpenAI, Anthropic and OpenRouter)",
    )
    .option('--request <file>', "for sse: the stream's request (.yaml, .json): { method, path, body }")
    .option('--redact <file>', redact)
    .option('--dialect <name>', dialect, 'neutral')
    .option('--quiet', 'print only problems')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nWithout --request, a stream matches no request: use its path as a scenario.')
    .action(async (kind, files: string[], flags) => {
      const { importFiles } = await import('./import.ts')
      await importFiles(kind, files, flags)
    })

  program
    .command('drift')
    .description('Send recorded requests to Understudy, and compare names and types in the replies.')
    .argument('<folder>', 'folder of recordings')
    .option('--upstream <url>', 'send the requests to a real gateway instead of Understudy', toBaseUrl)
    .option('--key-env <name>', "environment variable with the upstream's key")
    .option('--dialect <name>', "dialect of Understudy's replies (default: the recording's dialect)")
    .addOption(new Option('--allow <kind>', 'difference to allow (exit code 0)').choices(['added']))
    .option('--json', 'print JSON')
    .option('--quiet', 'print only the summary')
    .addHelpText(
      'after',
      '\nExit code: 1 for differences not allowed, otherwise 2 if any reply was not compared.',
    )
    .action(async (folder: string, flags) => {
      const command = await import('./drift.ts')
      await command.drift(folder, flags, extras)
    })
}

const redact = 'redaction rules (.yaml, .json): headers, fields, patterns, values, ignoreFields'
const dialect = 'dialect to store in recordings, such as openrouter'

function toWholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

function toBaseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === '') return url
  // An InvalidArgumentError's message would quote credentials in the URL.
  throw new UsageError('--upstream must be a base URL such as https://gateway.example/api/v1')
}

/** Only visible ASCII characters are allowed, because the token is sent in a header. */
function toToken(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text
  throw new InvalidArgumentError('A token must be one or more visible ASCII characters.')
}

function collect(value: string, before: string[] = []): string[] {
  return [...before, ...value.split(',')]
}
