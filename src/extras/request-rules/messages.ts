/** Rules of Anthropic for valid requests for messages. Its messages begin with the place in the body. */
import { fieldsOf, isObject, listOf, textOf } from '../../lib/json.ts'
import { callAfterThinking, readSignature } from '../../model/signature.ts'
import { isBroken, nodesIn } from './openai.ts'
import {
  breach,
  type Fields,
  leastTokens,
  pairsIn,
  type RequestFacts,
  type RequestRules,
  type Step,
} from './rule.ts'

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

export const rules: RequestRules<Rule> = {
  sources,
  *check(body, facts) {
    const blocks = blocksIn(body)
    // A continued thread's earlier messages are not in the request.
    const isContinued = fieldsOf(body['thread'])['previous_message_id'] != null
    if (!isContinued) yield* checkPairs(blocks)
    // Gateways accept unsigned thinking of other vendors' models.
    if (!facts.isVendor || /claude/i.test(textOf(body['model']))) yield* checkThinking(body, blocks, facts)
    yield* checkSettings(body, blocks, facts)
    yield* checkTools(body)
    yield* checkContent(body, blocks, facts)
  },
}

function* checkPairs(blocks: readonly Block[]) {
  const turns = toolTurns(blocks)
  for (const [, { path }] of pairsIn(turns.flat()).repeated.call)
    yield breachAt('duplicate-call-id', path, '`tool_use` ids must be unique')
  for (const steps of turns) {
    const missing = pairsIn(steps.filter(({ isFirst }) => isFirst)).unanswered
    const ids = missing.map(({ id }) => id).join(', ')
    const found = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}.`
    const next = 'Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
    for (const { path } of missing.slice(-1))
      yield breachAt('tool-call-without-result', path.replace(/\.content.*/, ''), `${found} ${next}`)
    const { orphans, repeated } = pairsIn(steps)
    const previous =
      'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.'
    for (const { path, id } of orphans) {
      const unexpected = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ${previous}`
      yield breachAt('tool-result-without-call', path, unexpected)
    }
    for (const [, { path, id }] of repeated.result) {
      const several = `Found multiple \`tool_result\` blocks with id: ${id}`
      yield breachAt('duplicate-result', path, `each tool_use must have a single result. ${several}`)
    }
  }
}

function* checkThinking(
  { model, models, thinking: mode }: Fields,
  blocks: readonly Block[],
  { memory }: RequestFacts,
) {
  for (const { path, type, signature } of blocks) {
    const isForeign = models == null && readSignature(signature)?.isOf(textOf(model)) === false
    if (type === 'thinking' && (!signature || isForeign))
      yield breachAt('thinking-signature', path, 'Invalid `signature` in `thinking` block')
  }
  const end = blocks.findLastIndex(({ role }) => role === 'assistant') + 1
  const start = blocks.slice(0, end).findLastIndex(({ role }) => role === 'user') + 1
  const answer = blocks.slice(start, end)
  const [first] = answer
  const isToolTurn = blocks.slice(end).some(({ type }) => type === 'tool_result')
  // Reports differ, so only thinking that is known to have preceded the call must come back.
  const isKnown = isToolTurn && answer.some(({ id }) => memory.get(callAfterThinking(textOf(id))))
  if (budgetOf(mode) !== undefined && first && isKnown && !/thinking$/.test(textOf(first.type))) {
    const found = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`.`
    const must = 'When `thinking` is enabled, a final `assistant` message must start with a thinking block.'
    yield breachAt('thinking-missing', `${first.path}.type`, `${found} ${must}`)
  }
  const signatures = new Set<unknown>()
  for (const { path, type, thinking, signature } of answer) {
    const sealed = type === 'thinking' && readSignature(signature)
    if (sealed && (signatures.has(signature) || !sealed.isUnchanged(textOf(thinking)))) {
      const noun = '`thinking` or `redacted_thinking` blocks in the latest assistant message'
      yield breachAt('thinking-modified', path, `${noun} cannot be modified.`)
    }
    signatures.add(signature)
  }
}

function* checkSettings(body: Fields, blocks: readonly Block[], facts: RequestFacts) {
  const { max_tokens, tools, tool_choice, temperature, model, system } = body
  const budget = budgetOf(body['thinking'])
  const isEnabled = budget !== undefined
  // With tools, thinking can be interleaved, and may exceed one reply.
  const isAbove = Number(budget) >= Number(max_tokens) && listOf(tools).length === 0
  const mustExceed = '`max_tokens` must be greater than `thinking.budget_tokens`.'
  yield isAbove && breach('thinking-budget', 'max_tokens', mustExceed)
  const tooSmall = 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'
  yield Number(budget) < 1024 && breach('thinking-budget-min', 'thinking.budget_tokens', tooSmall)
  const isAdaptive = !facts.isVendor && /claude-(opus-4-[7-9]|(opus|sonnet|fable)-5)/.test(textOf(model))
  const advice = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
  const notEnabled = `"thinking.type.enabled" is not supported for this model. ${advice}`
  yield isEnabled && isAdaptive && breach('thinking-type', 'thinking.type', notEnabled)
  const isForced = /^(any|tool)$/.test(textOf(fieldsOf(tool_choice)['type']))
  const notForced = 'Thinking may not be enabled when tool_choice forces tool use.'
  yield isEnabled && isForced && breach('thinking-forced-tool', 'tool_choice', notForced)
  const mustBeOne = '`temperature` may only be set to 1 when thinking is enabled'
  yield isEnabled && (temperature ?? 1) !== 1 && breach('thinking-temperature', 'temperature', mustBeOne)

  const { context_length: window = Infinity, top_provider } = facts.model ?? {}
  const tokens = leastTokens(facts, window)
  const tooLong = `prompt is too long: ${tokens} tokens > ${window} maximum`
  yield tokens > window && breach('context-window', 'messages', tooLong)
  const most = top_provider?.max_completion_tokens ?? Infinity
  const limit = `which is the maximum allowed number of output tokens for ${model}`
  const tooMany = `max_tokens: ${max_tokens} > ${most}, ${limit}`
  yield Number(max_tokens) > most && !facts.isVendor && breach('max-output', 'max_tokens', tooMany)

  const cacheable = [...listOf(tools), ...listOf(system), body, ...blocks.flatMap(withInner)]
  const { length } = cacheable.filter((each) => fieldsOf(each)['cache_control'] != null)
  const found = `A maximum of 4 blocks with cache_control may be provided. Found ${length}.`
  yield length > 4 && breach('cache-breakpoints', 'cache_control', found)
}

function* checkTools(body: Fields) {
  const tools = listOf(body['tools']).map(fieldsOf)
  const names = tools.flatMap(({ name }) => name ?? [])
  const isRepeated = new Set(names).size < names.length
  yield isRepeated && breach('tool-name-duplicate', 'tools', 'tools: Tool names must be unique.')
  for (const [at, { type, name: sent, input_schema: schema }] of tools.entries()) {
    if ((type ?? 'custom') !== 'custom') continue
    const [path, name] = [`tools.${at}.custom`, textOf(sent)]
    const mustMatch = "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'"
    yield /[^\w-]/.test(name) && breachAt('tool-name-pattern', `${path}.name`, mustMatch)
    const tooLong = 'String should have at most 128 characters'
    yield name.length > 128 && breachAt('tool-name-length', `${path}.name`, tooLong)
    if (!isObject(schema)) continue
    const place = `${path}.input_schema`
    yield schema['type'] === undefined && breachAt('schema-root', `${place}.type`, 'Field required')
    const isUnion = ['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in schema)
    const noUnion = 'input_schema does not support oneOf, allOf, or anyOf at the top level'
    yield isUnion && breachAt('schema-root-union', place, noUnion)
    const draft = 'It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).'
    const invalid = `JSON schema is invalid. ${draft}`
    for (const { node } of nodesIn(schema)) {
      const { items, required = [], $ref } = node
      const isOld = Array.isArray(items) || !Array.isArray(required)
      yield isOld && breachAt('schema-draft', place, invalid)
      yield isBroken(textOf($ref), schema) && breachAt('ref-unresolved', place, invalid)
    }
  }
}

function* checkContent({ messages }: Fields, blocks: readonly Block[], { model }: RequestFacts) {
  const all = blocks.flatMap(withInner)
  const images = all.filter(({ type }) => type === 'image')
  const files = all.filter(({ type }) => type === 'document')
  const most = model && model.context_length <= 200_000 ? 100 : 600
  const tooMany = `too many images and documents: ${images.length} + ${files.length} > ${most}`
  yield images.length + files.length > most && breach('image-count', 'messages', tooMany)
  for (const { path, source } of images) {
    const { length } = textOf(fieldsOf(source)['data'])
    const tooLarge = `image exceeds 10 MB maximum: ${length} bytes > ${maxImage} bytes`
    yield length > maxImage && breachAt('image-size', `${path}.image.source.base64`, tooLarge)
  }
  const sent = listOf(messages).map(fieldsOf)
  for (const [at, { role, content }] of sent.entries()) {
    const isFinal = at === sent.length - 1 && role === 'assistant'
    const must = 'all messages must have non-empty content except for the optional final assistant message'
    yield Object(content).length === 0 && !isFinal && breachAt('empty-content', `messages.${at}`, must)
  }
  for (const { path, text } of blocks.filter(({ type }) => type === 'text')) {
    const mustHaveText = 'messages: text content blocks must '
    if (text === '') yield breach('empty-text', paramOf(path), `${mustHaveText}be non-empty`)
    else if (!/\S/.test(textOf(text)))
      yield breach('blank-text', paramOf(path), `${mustHaveText}contain non-whitespace text`)
  }
  const { role, content } = sent.at(-1) ?? {}
  const end = typeof content === 'string' ? content : textOf(fieldsOf(listOf(content).at(-1))['text'])
  const isOpen = role === 'assistant' && /\S\s+$/.test(end.slice(-1000))
  const noSpace = 'messages: final assistant content cannot end with trailing whitespace'
  yield isOpen && breach('trailing-space', 'messages', noSpace)
}

const maxImage = 10 * 1024 * 1024

/** @param path Begins the message. */
function breachAt(rule: Rule, path: string, message: string) {
  return breach(rule, paramOf(path), `${path}: ${message}`)
}

function paramOf(path: string): string {
  return path.replace(/\.(\d+)/g, '[$1]').replace('.custom', '')
}

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

interface BlockStep extends Step {
  readonly path: string
  /** False for a result after another block of its message. */
  readonly isFirst: boolean
}

/** Returns each turn's calls with the results in the next one. A turn is consecutive messages of a role. */
function toolTurns(blocks: readonly Block[]): BlockStep[][] {
  const turns: BlockStep[][] = [[]]
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
