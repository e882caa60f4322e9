/** Rules of Anthropic for valid requests for messages. Its messages begin with the place in the body. */
import { fieldsOf, isObject, listOf, textOf } from '../../lib/json.ts'
import { followsThinking, readSignature } from '../../model/signature.ts'
import { nodesIn, targetOf } from './json-schemas.ts'
import { leastTokens, pairsIn } from './responses.ts'
import { type RequestFacts, rulesFor } from './rule.ts'

const issues = 'https://github.com'
const docs = 'https://platform.claude.com/docs/en/build-with-claude'

const sources = {
  'tool-call-without-result': `${issues}/anthropics/claude-code/issues/3512`,
  'tool-result-without-call': `${issues}/anthropics/claude-code/issues/13460`,
  'duplicate-call-id': `${issues}/anthropics/claude-code/issues/21317`,
  'duplicate-result': `${issues}/OpenHands/software-agent-sdk`,
  'thinking-missing': `${docs}/adaptive-thinking`,
  'thinking-signature': `${issues}/kaitranntt/ccs/issues/415`,
  'thinking-modified': `${issues}/anthropics/claude-code/issues/19539`,
  'thinking-budget': `${docs}/extended-thinking`,
  'thinking-budget-min': `${issues}/danny-avila/LibreChat/issues/8346`,
  'thinking-type': `${issues}/earendil-works/pi/issues/3297`,
  'thinking-forced-tool': `${docs}/extended-thinking`,
  'thinking-temperature': `${issues}/MartialBE/one-hub/issues/529`,
  'tool-name-pattern': `${issues}/modelcontextprotocol/modelcontextprotocol/issues/1345`,
  'tool-name-length': `${issues}/anthropics/claude-code/issues/96152`,
  'tool-name-duplicate': `${issues}/anthropics/claude-code/issues/10687`,
  'schema-root': `${issues}/Kilo-Org/kilocode/issues/12238`,
  'schema-root-union': `${issues}/anthropics/claude-code/issues/5319`,
  'schema-draft': `${issues}/anthropics/claude-code/issues/7365`,
  'ref-unresolved': 'https://json-schema.org/draft/2020-12/json-schema-core#name-schema-references',
  'context-window': `${issues}/anthropics/claude-code/issues/12186`,
  'max-output': `${issues}/anthropics/claude-code/issues/11302`,
  'image-count': `${docs}/vision`,
  'image-size': `${issues}/anthropics/claude-code/issues/14887`,
  'cache-breakpoints': `${issues}/tghamm/Anthropic.SDK/issues/50`,
  'empty-content': `${issues}/anthropics/claude-code/issues/6774`,
  'empty-text': `${issues}/vercel/ai/issues/5576`,
  'blank-text': `${issues}/anthropics/claude-code/issues/23440`,
  'trailing-space': `${issues}/langchain-ai/langchain/issues/35072`,
}
type Rule = keyof typeof sources

export const rules = rulesFor(sources, function* (sent, facts) {
  const body = fieldsOf(sent)
  const blocks = blocksIn(body)
  // A continued thread's earlier messages are not in the request.
  const isContinued = fieldsOf(body['thread'])['previous_message_id'] != null
  if (!isContinued) yield* checkPairs(blocks)
  // Gateways accept unsigned thinking of other vendors' models.
  if (!facts.isVendor || /claude/i.test(textOf(body['model']))) yield* checkThinking(body, blocks)
  yield* checkSettings(body, facts)
  yield* checkTools(body)
  yield* checkContent(body, blocks, facts)
})

function* checkPairs(blocks: readonly Block[]) {
  const turns = toolTurns(blocks)
  for (const { path, kind } of pairsIn(turns.flat()).repeated)
    if (kind === 'call') yield breach('duplicate-call-id', path, '`tool_use` ids must be unique')
  for (const steps of turns) {
    const missing = pairsIn(steps.filter(({ isFirst }) => isFirst)).unanswered
    const ids = missing.map(({ id }) => id).join(', ')
    const found = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}.`
    const next = 'Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
    for (const { path } of missing.slice(-1))
      yield breach('tool-call-without-result', messageOf(path), `${found} ${next}`)
    const { orphans, repeated } = pairsIn(steps)
    const previous =
      'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
    for (const { path, id } of orphans) {
      const unexpected = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ${previous}`
      yield breach('tool-result-without-call', path, unexpected)
    }
    for (const { path, id } of repeated.filter(({ kind }) => kind === 'result')) {
      const several = `Found multiple \`tool_result\` blocks with id: ${id}`
      yield breach('duplicate-result', path, `each tool_use must have a single result. ${several}`)
    }
  }
}

function* checkThinking({ model, models, thinking: mode }: Fields, blocks: readonly Block[]) {
  for (const { path, type, signature } of blocks) {
    const isForeign = models == null && readSignature(signature)?.isOf(textOf(model)) === false
    if (type === 'thinking' && (!signature || isForeign))
      yield breach('thinking-signature', path, 'Invalid `signature` in `thinking` block')
  }
  const end = blocks.findLastIndex(({ role }) => role === 'assistant') + 1
  const start = blocks.slice(0, end).findLastIndex(({ role }) => role === 'user') + 1
  const answer = blocks.slice(start, end)
  const [first] = answer
  const isToolTurn = blocks.slice(end).some(({ type }) => type === 'tool_result')
  // Reports differ, so only thinking that is known to have preceded the call must come back.
  const isKnown = isToolTurn && answer.some(({ id }) => followsThinking(textOf(id)))
  if (budgetOf(mode) !== undefined && first && isKnown && !/thinking$/.test(textOf(first.type))) {
    const found = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`.`
    const must = 'When `thinking` is enabled, a final `assistant` message must start with a thinking block.'
    yield breach('thinking-missing', `${first.path}.type`, `${found} ${must}`)
  }
  const signatures = new Set<unknown>()
  for (const { path, type, thinking, signature } of answer) {
    const sealed = type === 'thinking' && readSignature(signature)
    if (sealed && (signatures.has(signature) || !sealed.isUnchanged(textOf(thinking)))) {
      const noun = '`thinking` or `redacted_thinking` blocks in the latest assistant message'
      yield breach('thinking-modified', path, `${noun} cannot be modified.`)
    }
    signatures.add(signature)
  }
}

function* checkSettings(body: Fields, facts: RequestFacts) {
  const { max_tokens, tools, tool_choice, temperature, model } = body
  const budget = budgetOf(body['thinking'])
  // With tools, thinking can be interleaved, and may exceed one reply.
  const mustExceed = '`max_tokens` must be greater than `thinking.budget_tokens`.'
  if (Number(budget) >= Number(max_tokens) && listOf(tools).length === 0)
    yield whole('thinking-budget', 'max_tokens', mustExceed)
  if (Number(budget) < 1024) {
    const message = 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'
    yield whole('thinking-budget-min', 'thinking.budget_tokens', message)
  }
  const isAdaptive = !facts.isVendor && /claude-(opus-4-[7-9]|(opus|sonnet|fable)-5)/.test(textOf(model))
  if (budget !== undefined && isAdaptive) {
    const advice = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
    const message = `"thinking.type.enabled" is not supported for this model. ${advice}`
    yield whole('thinking-type', 'thinking.type', message)
  }
  if (budget !== undefined && /^(any|tool)$/.test(textOf(fieldsOf(tool_choice)['type']))) {
    const message = 'Thinking may not be enabled when tool_choice forces tool use.'
    yield whole('thinking-forced-tool', 'tool_choice', message)
  }
  if (budget !== undefined && (temperature ?? 1) !== 1) {
    const message = '`temperature` may only be set to 1 when thinking is enabled'
    yield whole('thinking-temperature', 'temperature', message)
  }
  const { context_length: window = Infinity, top_provider } = facts.model ?? {}
  const tokens = leastTokens(facts, window)
  if (tokens > window)
    yield whole('context-window', 'messages', `prompt is too long: ${tokens} tokens > ${window} maximum`)
  const most = top_provider?.max_completion_tokens ?? Infinity
  if (Number(max_tokens) > most && !facts.isVendor) {
    const limit = `which is the maximum allowed number of output tokens for ${model}`
    yield whole('max-output', 'max_tokens', `max_tokens: ${max_tokens} > ${most}, ${limit}`)
  }
  const count = countBreakpoints(body)
  if (count > 4) {
    const message = `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`
    yield whole('cache-breakpoints', 'cache_control', message)
  }
}

function* checkTools({ tools }: Fields) {
  const names = listOf(tools).flatMap((tool) => fieldsOf(tool)['name'] ?? [])
  if (new Set(names).size < names.length)
    yield whole('tool-name-duplicate', 'tools', 'tools: Tool names must be unique.')
  for (const [at, tool] of listOf(tools).map(fieldsOf).entries()) {
    if ((tool['type'] ?? 'custom') !== 'custom') continue
    const path = `tools.${at}.custom`
    const { name, input_schema: schema } = tool
    if (/[^\w-]/.test(textOf(name))) {
      const message = "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
      yield breach('tool-name-pattern', `${path}.name`, message)
    }
    if (textOf(name).length > 128)
      yield breach('tool-name-length', `${path}.name`, 'String should have at most 128 characters')
    if (!isObject(schema)) continue
    if (schema['type'] === undefined)
      yield breach('schema-root', `${path}.input_schema.type`, 'Field required')
    if (['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in schema)) {
      const message = 'input_schema does not support oneOf, allOf, or anyOf at the top level'
      yield breach('schema-root-union', `${path}.input_schema`, message)
    }
    const draft = 'It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).'
    const invalid = [`${path}.input_schema`, `JSON schema is invalid. ${draft}`] as const
    for (const { node } of nodesIn(schema)) {
      const { items, required = [], $ref } = node
      if (Array.isArray(items) || !Array.isArray(required)) yield breach('schema-draft', ...invalid)
      if (textOf($ref).startsWith('#/') && targetOf(textOf($ref), schema) === undefined)
        yield breach('ref-unresolved', ...invalid)
    }
  }
}

function* checkContent({ messages }: Fields, blocks: readonly Block[], { model }: RequestFacts) {
  const all = blocks.flatMap(withInner)
  const images = all.filter(({ type }) => type === 'image')
  const files = all.filter(({ type }) => type === 'document')
  const most = model && model.context_length <= 200_000 ? 100 : 600
  if (images.length + files.length > most) {
    const message = `too many images and documents: ${images.length} + ${files.length} > ${most}`
    yield whole('image-count', 'messages', message)
  }
  for (const { path, source } of images) {
    const { length } = textOf(fieldsOf(source)['data'])
    const message = `image exceeds 10 MB maximum: ${length} bytes > ${maxImage} bytes`
    if (length > maxImage) yield breach('image-size', `${path}.image.source.base64`, message)
  }
  const sent = listOf(messages).map(fieldsOf)
  for (const [at, { role, content }] of sent.entries()) {
    const isFinal = at === sent.length - 1 && role === 'assistant'
    const must = 'all messages must have non-empty content except for the optional final assistant message'
    if (Object(content).length === 0 && !isFinal) yield breach('empty-content', `messages.${at}`, must)
  }
  for (const { path, type, text } of blocks) {
    const param = paramOf(path)
    if (type === 'text' && text === '')
      yield whole('empty-text', param, 'messages: text content blocks must be non-empty')
    else if (type === 'text' && !/\S/.test(textOf(text)))
      yield whole('blank-text', param, 'messages: text content blocks must contain non-whitespace text')
  }
  const { role, content } = sent.at(-1) ?? {}
  const end = typeof content === 'string' ? content : textOf(fieldsOf(listOf(content).at(-1))['text'])
  if (role === 'assistant' && /\S\s+$/.test(end.slice(-1000))) {
    const message = 'messages: final assistant content cannot end with trailing whitespace'
    yield whole('trailing-space', 'messages', message)
  }
}

const maxImage = 10 * 1024 * 1024

function whole(rule: Rule, param: string, message: string) {
  return { rule, param, message }
}

function breach(rule: Rule, path: string, message: string) {
  return { rule, param: paramOf(path), message: `${path}: ${message}` }
}

function paramOf(path: string): string {
  return path.replace(/\.(\d+)/g, '[$1]').replace('.custom', '')
}

function messageOf(path: string): string {
  return path.replace(/\.content.*/, '')
}

type Fields = Readonly<Record<string, unknown>>

interface Block extends Fields {
  /** Such as `messages.1.content.0`. */
  readonly path: string
  readonly place: number
  readonly role: unknown
  readonly type: unknown
}

/** A text that is not in a block becomes one without a type. */
function blocksIn(body: unknown): Block[] {
  return listOf(fieldsOf(body)['messages']).flatMap((message, at) => {
    const { role, content } = fieldsOf(message)
    return blocksOf(typeof content === 'string' ? [{}] : content, `messages.${at}.content`, role)
  })
}

function blocksOf(content: unknown, path: string, role: unknown): Block[] {
  return listOf(content).map((block, place) => {
    const { type, ...fields } = fieldsOf(block)
    return { ...fields, type, path: `${path}.${place}`, place, role }
  })
}

/** Adds the blocks in a tool's result. */
function withInner(block: Block): Block[] {
  const inner = block.type === 'tool_result' ? block['content'] : []
  return [block, ...blocksOf(inner, `${block.path}.tool_result.content`, block.role)]
}

interface Step {
  readonly kind: 'call' | 'result'
  readonly id: string
  readonly path: string
  /** False for a result after another block of its message. */
  readonly isFirst: boolean
}

/** Returns each turn's calls with the results in the next one. A turn is consecutive messages of a role. */
function toolTurns(blocks: readonly Block[]): Step[][] {
  const turns: Step[][] = [[]]
  let previous: unknown
  let isFirst = true
  for (const { path, role, place, type, id, tool_use_id } of blocks) {
    if (role === 'assistant' && previous !== 'assistant') turns.push([])
    if (role !== 'system') previous = role
    const steps = turns.at(-1)
    isFirst = type === 'tool_result' && (place === 0 || isFirst)
    if (type === 'tool_use' && role === 'assistant')
      steps?.push({ kind: 'call', id: textOf(id), path, isFirst: true })
    else if (type === 'tool_result') steps?.push({ kind: 'result', id: textOf(tool_use_id), path, isFirst })
  }
  return turns
}

/** Returns the budget of thinking that must come back; undefined if thinking is adaptive or disabled. */
function budgetOf(thinking: unknown): unknown {
  const { type, budget_tokens } = fieldsOf(thinking)
  return type === 'enabled' ? budget_tokens : undefined
}

/** Returns the number of values with a cache breakpoint. */
function countBreakpoints(body: Fields): number {
  const { tools, system } = body
  const all = [...listOf(tools), ...listOf(system), body, ...blocksIn(body).flatMap(withInner)]
  return all.filter((each) => fieldsOf(each)['cache_control'] != null).length
}
