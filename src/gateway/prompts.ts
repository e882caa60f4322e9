/** Formats the prompts of calls as snapshot text that does not depend on the order of the calls. */
import { hideInString } from '../http/secrets.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { canonicalJson, fieldsOf, listOf, textOf } from '../lib/json.ts'
import type { AnyOperation } from '../operation.ts'
import type { Conversation } from '../resources/conversation.ts'

export interface PromptOptions {
  /** Text that varies between runs. Every match is replaced by `…`; strings match literally. Default: none. */
  mask?: readonly (string | RegExp)[] | undefined
}

export function promptsText(
  entries: readonly JournalEntry[],
  operations: readonly Pick<AnyOperation, 'id' | 'protocol'>[],
  { mask = [] }: PromptOptions = {},
): string {
  const readers = new Map(operations.map(({ id, protocol }) => [id, protocol?.conversation]))
  const texts = entries.flatMap(({ operation, body }) => {
    if (operation === null) return []
    const conversation = readers.get(operation)?.(body)
    return conversation
      ? [hideInString(mask.reduce(applyMask, promptText(operation, body, conversation)))]
      : []
  })
  return [...Map.groupBy(texts.sort(), (text) => text)]
    .map(([text, { length }]) => (length > 1 ? text.replace('\n', `, ${length} times\n`) : text))
    .join('\n')
}

function promptText(operation: string, body: unknown, { items }: Conversation): string {
  const { model, instructions, system, tools } = fieldsOf(body)
  const lines = [`# ${operation} ${textOf(model)}`]
  const systemText = textOf(instructions ?? system)
  if (systemText !== '') lines.push('', 'instructions:', ...indented(systemText))
  const offered = listOf(tools).map(toolLine).sort()
  if (offered.length > 0) lines.push('', 'tools:', ...offered.map((line) => `  ${line}`))
  lines.push('', 'input:')
  for (const item of items) {
    if (item.kind === 'call') lines.push(`  call ${item.name}`)
    else if (item.kind === 'result') lines.push('  result')
    else if (item.kind === 'reference') lines.push('  earlier conversation')
    else if (item.kind === 'other') lines.push(`  ${item.type}`)
    else if (item.role === 'assistant' || item.text === '') lines.push(`  ${item.role}`)
    else lines.push(`  ${item.role}:`, ...indented(item.text, 4))
  }
  return `${lines.join('\n')}\n`
}

function toolLine(tool: unknown): string {
  const outer = fieldsOf(tool)
  const { name = outer['type'], description, parameters, input_schema } = fieldsOf(outer['function'] ?? tool)
  const text = textOf(description)
  const schema = parameters ?? input_schema
  return [
    `${textOf(name)}${text && `: ${text.replaceAll('\n', ' ')}`}`,
    ...(schema ? [canonicalJson(schema)] : []),
  ].join(' ')
}

function indented(text: string, by = 2): string[] {
  return text.split(/\r?\n/).map((line) => (line === '' ? '' : ' '.repeat(by) + line))
}

function applyMask(text: string, mask: string | RegExp): string {
  if (typeof mask === 'string') return mask === '' ? text : text.replaceAll(mask, '…')
  const flags = new Set(`${mask.flags}g`)
  return text.replace(new RegExp(mask, [...flags].join('')), '…')
}

/** Returns the path of a test's snapshot file, such as `__prompts__/agent.test.ts/books-two-boats.txt`. */
export function promptsFile(
  { testPath, currentTestName }: { testPath?: string | undefined; currentTestName?: string | undefined },
  name?: string,
): string {
  if (testPath === undefined) throw new TypeError('toMatchPrompts() must be called in a test')
  const place = Math.max(testPath.lastIndexOf('/'), testPath.lastIndexOf('\\')) + 1
  const slug = (name ?? currentTestName ?? 'prompts')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 100)
  return `${testPath.slice(0, place)}__prompts__/${testPath.slice(place)}/${slug}.txt`
}
