/** `run`: starts a server, runs a command whose SDKs use it, and prints what the command called. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import type { Command } from 'commander'
import { findingsOf } from '../gateway/extra.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { explainUnused, unfinishedScripts } from '../journal/expectations.ts'
import { calls, withoutReply } from '../journal/journal-text.ts'
import { printable, printError } from '../lib/print.ts'
import { UsageError } from '../lib/usage-error.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { sdkEnvironment } from '../sandbox/sdk-environment.ts'
import { ruleTitle } from '../scenarios/names.ts'
import type { RequestLine } from '../server/request-line.ts'
import { createGateway, type Start } from './serve-command.ts'

const maxListed = 10
/** Maximum number of distinct calls to count. All other calls are counted together. */
const maxCounted = 1000

/** Sets `process.exitCode` to the command's exit code, or to 128 plus the number of the signal that ended it. */
export async function runWithServer(
  command: Command,
  [program = '', ...args]: readonly string[],
  start: Start,
): Promise<void> {
  const gateway = createGateway(command)
  const received = new Map<string, number>()
  const onRequest = (line: RequestLine) => {
    if (line.path.startsWith('/__understudy')) return
    const text = textOf(line)
    const counted = received.has(text) || received.size < maxCounted ? text : 'other calls'
    received.set(counted, (received.get(counted) ?? 0) + 1)
  }
  const server = await start({ gateway, onRequest })
  // A key of the default sandbox would win over sandboxes that tests create in the command's process.
  const [apiKey = 'any-key'] = gateway.options.apiKeys ?? []
  const sdks = sdkEnvironment({ baseUrl: server.baseUrl, apiKey })
  const env = { ...process.env, ...sdks, UNDERSTUDY_URL: server.url }
  try {
    process.exitCode = await exitCodeOf(program, args, env)
  } finally {
    await server.close(0)
  }
  const unused = unusedText(gateway.sandboxes.default)
  const mistakes = await mistakesText(gateway)
  printError(printable(`${summaryOf(received, Object.keys(sdks))}${unused}${mistakes}`))
}

/** Returns the application's mistakes in all sandboxes with their counts, to print after the unused rules. */
async function mistakesText({ sandboxes, extras, operations }: GatewayCore): Promise<string> {
  const found = [sandboxes.default, ...sandboxes.listLive()].map(({ journal }) => {
    const entries = journal.entries()
    const all = [...entries, ...withoutReply(journal.unanswered(), entries)]
    return findingsOf(extras, { entries: all, operations })
  })
  const counts = Map.groupBy((await Promise.all(found)).flat(), ({ name }) => name)
  const lines = [...counts].map(([name, { length }]) => `\n  ${length} × ${name}`)
  return lines.length === 0 ? '' : `\nFindings:${lines.join('')}`
}

/** Explains unused rules and unfinished scripts. Returns an empty string if there are no calls. */
function unusedText(sandbox: Sandbox): string {
  const entries = sandbox.journal.entries()
  if (entries.length === 0) return ''
  const unused = sandbox.unusedRules().map((each) => {
    return `  ${explainUnused(each, entries) ?? `${ruleTitle(each.scenario, each.rule, each.name)} was not used`}`
  })
  const started = sandbox.scripts().filter(({ conversations }) => conversations.length > 0)
  const lines = [...unused, ...unfinishedScripts(started)].slice(0, maxListed)
  return lines.map((line) => `\n${line}`).join('')
}

async function exitCodeOf(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  // On Windows, `npm` and `npx` are scripts, which only a shell can run.
  const isWindows = process.platform === 'win32'
  const child = isWindows
    ? spawn([program, ...args].map((word) => JSON.stringify(word)).join(' '), {
        stdio: 'inherit',
        env,
        shell: true,
      })
    : spawn(program, args, { stdio: 'inherit', env })
  const forward = (signal: NodeJS.Signals) => {
    // A terminal sends SIGINT to the command, too.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, forward)
  try {
    const [code, signal]: [number | null, NodeJS.Signals | null] = (await once(child, 'exit')) as never
    return code ?? 128 + constants.signals[signal as NodeJS.Signals]
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(`Cannot run '${program}': ${code === 'ENOENT' ? 'no such command' : message}`)
  } finally {
    for (const signal of signals) process.off(signal, forward)
  }
}

/** Describes a call without its query: `POST /api/v1/responses 200 aborted-by-fault`. */
function textOf({ method, path, status, reason, delivery }: RequestLine): string {
  const [route] = path.split('?', 1)
  const ending = delivery === 'complete' ? '' : ` ${delivery}`
  const why = reason === undefined ? '' : `: ${reason.replace(/\s+/g, ' ')}`
  return `${method} ${route} ${status || 'no response'}${ending}${why}`
}

function summaryOf(received: ReadonlyMap<string, number>, variables: readonly string[]): string {
  if (received.size === 0) {
    const urls = variables.filter((name) => name.endsWith('URL')).join(', ')
    return `[understudy] No calls. The command's clients must use ${urls}, and no gateway of their own.`
  }
  const sum = (counts: typeof byCount) => calls(counts.reduce((total, [, count]) => total + count, 0))
  const byCount = [...received].sort(([, left], [, right]) => right - left)
  const lines = byCount.slice(0, maxListed).map(([text, count]) => `  ${count} × ${text}`)
  const rest = byCount.slice(maxListed)
  if (rest.length > 0) lines.push(`  … ${sum(rest)} more`)
  return `[understudy] ${sum(byCount)}:\n${lines.join('\n')}`
}
