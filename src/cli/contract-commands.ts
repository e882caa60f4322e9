/**
 * The commands around the real gateway: `record`, `import`, `scan`, `drift` and `profile`. What each does is loaded when
 * it is asked for.
 */
import type { Command } from 'commander'
import { InvalidArgumentError, Option } from 'commander'
import { readEnvironment } from './environment.ts'

export function addContractCommands(program: Command): void {
  addRecord(program)
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

function toBaseUrl(text: string): URL {
  const url = URL.parse(text)
  if (url && /^https?:$/.test(url.protocol) && url.search === '') return url
  throw new InvalidArgumentError('Give a base address such as https://gateway.example/api/v1.')
}

function toNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('A whole number is needed.')
}
