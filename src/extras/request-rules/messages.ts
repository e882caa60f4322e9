/** Anthropic's rules beyond the schema of a message request. Error messages begin with the field's path. */
import { fieldsOf, isObject, listOf, textOf } from '../../lib/json.ts'
import { callAfterThinking, readSignature } from '../../model/signature.ts'
import { isBroken, nodesIn } from './openai.ts'
import type { Facts, Fields, Rules, Step } from './rule.ts'
import { breach, leastTokens, pairsIn } from './rule.ts'

const docs = 'https://platform.claude.com/docs/en/build-with-claude'

const sources = {
  'tool-call-without-result': 'https://github.com/anthropics/claude-code/issues/3512',
  'tool-result-without-call': 'https://github.com/anthropics/claude-code/issues/13460',
  'duplicate-call-id': 'https://github.com/anthropics/claude-code/issues/21317',
  'duplicate-result': 'https://github.com/OpenHands/software-agent-sdk',
  'tool-id-pattern': 'https://github.com/anomalyco/opencode/issues/1279',
  'server-tool-without-result': `${docs}/handling-stop-reasons`,
  'system-role': 'https://github.com/ianarawjo/ChainForge/issues/271',
  'thinking-missing': `${docs}/adaptive-thinking`,
  'thinking-signature': 'https://github.com/kaitranntt/ccs/issues/415',
  'thinking-modified': 'https://github.com/anthropics/claude-code/issues/19539',
  'thinking-budget': `${docs}/extended-thinking`,
  'thinking-budget-min': 'https://github.com/danny-avila/LibreChat/issues/8346',
  'thinking-type': 'https://github.com/earendil-works/pi/issues/3297',
  'thinking-forced-tool': `${docs}/extended-thinking`,
  'thinking-temperature': 'https://github.com/MartialBE/one-hub/issues/529',
  'temperature-range': 'https://github.com/anthropics/anthropic-sdk-python/issues/893',
  'tool-choice-unknown': 'https://platform.claude.com/docs/en/agents-and-tools/tool-use/define-tools',
  'tool-name-pattern': 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1345',
  'tool-name-length': 'https://github.com/anthropics/claude-code/issues/96152',
  'tool-name-duplicate': 'https://github.com/anthropics/claude-code/issues/10687',
  'schema-root': 'https://github.com/Kilo-Org/kilocode/issues/12238',
  'schema-root-union': 'https://github.com/anthropics/claude-code/issues/5319',
  'schema-draft': 'https://github.com/anthropics/claude-code/issues/7365',
  'ref-unresolved': 'https://json-schema.org/draft/2020-12/json-schema-core#name-schema-references',
  'context-window': 'https://github.com/anthropics/claude-code/issues/12186',
  'max-output': 'https://github.com/anthropics/claude-code/issues/11302',
  'image-count': `${docs}/vision`,
  'image-size': 'https://github.com/anthropics/claude-code/issues/14887',
  'cache-breakpoints': 'https://github.com/tghamm/Anthropic.SDK/issues/50',
  'cache-ttl-order': `${docs}/prompt-caching#mixing-different-ttls`,
  'empty-content': 'https://github.com/anthropics/claude-code/issues/6774',
  'empty-text': 'https://github.com/vercel/ai/issues/5576',
  'blank-text': 'https://github.com/anthropics/claude-code/issues/23440',
  'trailing-space': 'https://github.com/langchain-ai/langchain/issues/35072',
}
type Rule = keyof typeof sources

export const rules: Rules<Rule> = {
  sources,
  *check(body, facts) {
    const blocks = listOf(body['messages']).flatMap((message, at) => {
      const { role, content } = fieldsOf(message)
      // A text that is not in a block becomes one without a type.
      return blocksOf(typeof content === 'string' ? [{}] : content, `messages[${at}].content`, at, role)
    })
    // A continued thread's earlier messages are not in the request.
    const isContinued = fieldsOf(body['thread'])['previous_message_id'] != null
    if (!isContinued) yield* checkPairs(blocks)
    // Gateways accept unsigned thinking of other vendors' models.
    if (!facts.isVendor || /claude/i.test(textOf(body['model']))) yield* checkThinking(body, blocks, facts)
    yield* checkSettings(body, facts)
    yield* checkContent(body, blocks, facts)
  },
}

function* checkPairs(blocks: readonly Block[]) {
  const spoken = blocks.filter(({ role }) => role !== 'system')
  const isAnswer = ({ role }: Block, before?: Block) => role === 'assistant' && before?.['role'] !== role
  const turns = turnsIn(spoken, /^tool_(use|result)$/, isAnswer)
  // Results of server tools can follow those of other tools.
  const isQuestion = ({ role, type }: Block) => role === 'user' && type !== 'tool_result'
  const serverTurns = turnsIn(spoken, /^(server_tool_use|(?!mcp_).+_tool_result)$/, isQuestion)
  for (const { kind, path } of pairsIn(turns.flat()).repeated)
    yield kind === 'call' && breachAt('duplicate-call-id', path, '`tool_use` ids must be unique')
  for (const { unanswered, repeated } of turns.map(pairsIn)) {
    const ids = unanswered.map(({ id }) => id).join(', ')
    const found = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}.`
    const next = 'Each `tool_use` block must have a corresponding `tool_result` block in the next message.'
    for (const { at } of unanswered.slice(-1))
      yield breachAt('tool-call-without-result', `messages[${at}]`, `${found} ${next}`)
    for (const { kind, path, id } of repeated) {
      const found = `Found multiple \`tool_result\` blocks with id: ${id}`
      const message = `each tool_use must have a single result. ${found}`
      yield kind === 'result' && breachAt('duplicate-result', path, message)
    }
  }
  // The last turn may still be running.
  for (const { at, id, name } of serverTurns.slice(0, -1).flatMap((steps) => pairsIn(steps).unanswered)) {
    const found = `\`${name}\` tool use with id \`${id}\` was found`
    const message = `${found} without a corresponding \`${name}_tool_result\` block`
    yield breachAt('server-tool-without-result', `messages[${at}]`, message)
  }
  for (const { path, id, type } of [...turns, ...serverTurns].flatMap((steps) => pairsIn(steps).orphans)) {
    const isClient = type === 'tool_result'
    const call = isClient ? '`tool_use` block in the previous message' : '`server_tool_use` block before it'
    const must = `Each \`${type}\` block must have a corresponding ${call}.`
    const message = `unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. ${must}`
    yield breachAt('tool-result-without-call', path, message)
  }
}

function* checkThinking({ model, models, thinking: mode }: Fields, blocks: readonly Block[], facts: Facts) {
  for (const { path, type, id, signature } of blocks) {
    const isOther = type === 'tool_use' && !facts.isVendor && /[^\w-]/.test(textOf(id))
    const mustMatch = "String should match pattern '^[a-zA-Z0-9_-]+$'"
    yield isOther && breachAt('tool-id-pattern', `${path}.tool_use.id`, mustMatch)
    const isForeign = models == null && readSignature(signature)?.isOf(textOf(model)) === false
    const isInvalid = type === 'thinking' && (!signature || isForeign)
    yield isInvalid && breachAt('thinking-signature', path, 'Invalid `signature` in `thinking` block')
  }
  const end = blocks.findLastIndex(({ role }) => role === 'assistant') + 1
  const start = blocks.slice(0, end).findLastIndex(({ role }) => role === 'user') + 1
  const answer = blocks.slice(start, end)
  const { type: first, path }: Partial<Block> = answer[0] ?? {}
  const isToolTurn = blocks.slice(end).some(({ type }) => type === 'tool_result')
  // Reports differ, so only thinking that is known to have preceded the call must come back.
  const isKnown = isToolTurn && answer.some(({ id }) => facts.memory.get(callAfterThinking(textOf(id))))
  const isMissing = isKnown && fieldsOf(mode)['type'] === 'enabled' && !/thinking$/.test(textOf(first))
  const found = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`.`
  const must = 'When `thinking` is enabled, a final `assistant` message must start with a thinking block.'
  yield isMissing && breachAt('thinking-missing', `${path}.type`, `${found} ${must}`)
  const signatures = new Set<unknown>()
  for (const { path, type, thinking, signature } of answer) {
    const sealed = type === 'thinking' && readSignature(signature)
    const isChanged = sealed && (signatures.has(signature) || !sealed.isUnchanged(textOf(thinking)))
    const noun = '`thinking` or `redacted_thinking` blocks in the latest assistant message'
    yield isChanged && breachAt('thinking-modified', path, `${noun} cannot be modified.`)
    signatures.add(signature)
  }
}

function* checkSettings(body: Fields, facts: Facts) {
  const { isVendor, model: record } = facts
  const { max_tokens, temperature, model, thinking } = body
  const tools = listOf(body['tools']).map(fieldsOf)
  const { type: choice, name: forced } = fieldsOf(body['tool_choice'])
  const { type, budget_tokens: budget } = fieldsOf(thinking)
  const name = isVendor ? '' : textOf(model)
  const isOld = /claude-(3|(opus|sonnet|haiku)-4($|-20|[-.][0-5]\b))/.test(name)
  const notAdaptive = 'adaptive thinking is not supported on this model'
  yield type === 'adaptive' && isOld && breach('thinking-type', 'thinking.type', notAdaptive)
  const roles = listOf(body['messages']).map((message) => fieldsOf(message)['role'])
  // Recent models accept a system message after a user message.
  const isUnexpected = !isVendor && (roles[0] === 'system' || (isOld && roles.includes('system')))
  const topLevel = 'The Messages API accepts a top-level `system` parameter'
  const noRole = `messages: Unexpected role "system". ${topLevel}, not "system" as an input message role.`
  yield isUnexpected && breach('system-role', 'messages', noRole)
  if (type === 'enabled') {
    // With tools, thinking can be interleaved, and may exceed one reply.
    const isAbove = Number(budget) >= Number(max_tokens) && tools.length === 0
    const mustExceed = '`max_tokens` must be greater than `thinking.budget_tokens`.'
    yield isAbove && breach('thinking-budget', 'max_tokens', mustExceed)
    const tooSmall = 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024'
    yield Number(budget) < 1024 && breach('thinking-budget-min', 'thinking.budget_tokens', tooSmall)
    const isAdaptive = /claude-(opus-4-[7-9]|(opus|sonnet|fable)-5)/.test(name)
    const advice = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
    const notEnabled = `"thinking.type.enabled" is not supported for this model. ${advice}`
    yield isAdaptive && breach('thinking-type', 'thinking.type', notEnabled)
    const notForced = 'Thinking may not be enabled when tool_choice forces tool use.'
    yield /^(any|tool)$/.test(textOf(choice)) && breach('thinking-forced-tool', 'tool_choice', notForced)
    const mustBeOne = '`temperature` may only be set to 1 when thinking is enabled'
    yield (temperature ?? 1) !== 1 && breach('thinking-temperature', 'temperature', mustBeOne)
  }
  const isOutside = !isVendor && (Number(temperature) < 0 || Number(temperature) > 1)
  yield isOutside && breach('temperature-range', 'temperature', 'temperature: range: 0..1')
  const { context_length: window = Infinity, top_provider } = record ?? {}
  const tokens = leastTokens(facts, window)
  const tooLong = `prompt is too long: ${tokens} tokens > ${window} maximum`
  yield tokens > window && breach('context-window', 'messages', tooLong)
  const most = top_provider?.max_completion_tokens ?? Infinity
  const limit = `which is the maximum allowed number of output tokens for ${model}`
  const tooMany = `max_tokens: ${max_tokens} > ${most}, ${limit}`
  yield Number(max_tokens) > most && !isVendor && breach('max-output', 'max_tokens', tooMany)
  const names = tools.flatMap(({ name }) => name ?? [])
  const isRepeated = new Set(names).size < names.length
  yield isRepeated && breach('tool-name-duplicate', 'tools', 'tools: Tool names must be unique.')
  const isUnknown = choice === 'tool' && names.every((name) => name !== forced)
  const unknown = `Tool '${forced}' not found in provided tools`
  yield isUnknown && breach('tool-choice-unknown', 'tool_choice', unknown)
  for (const [at, { type, name: sent, input_schema: schema }] of tools.entries()) {
    if ((type ?? 'custom') !== 'custom') continue
    const path = `tools[${at}].custom`
    const name = textOf(sent)
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
    for (const { node } of nodesIn(schema)) {
      const { items, required = [], $ref } = node
      const isOld = Array.isArray(items) || !Array.isArray(required)
      yield isOld && breachAt('schema-draft', place, `JSON schema is invalid. ${draft}`)
      yield isBroken($ref, schema) && breachAt('ref-unresolved', place, `JSON schema is invalid. ${draft}`)
    }
  }
}

function* checkContent(body: Fields, blocks: readonly Block[], { model }: Facts) {
  const all = blocks.flatMap((block) => {
    const { type, path, content } = block
    return [block, ...blocksOf(type === 'tool_result' && content, `${path}.tool_result.content`)]
  })
  const images = all.filter(({ type }) => type === 'image')
  const files = all.filter(({ type }) => type === 'document')
  const most = model && model.context_length <= 200_000 ? 100 : 600
  const tooMany = `too many images and documents: ${images.length} + ${files.length} > ${most}`
  yield images.length + files.length > most && breach('image-count', 'messages', tooMany)
  for (const { path, source } of images) {
    const { length } = textOf(fieldsOf(source)['data'])
    const tooLarge = `image exceeds 10 MB maximum: ${length} bytes > 10485760 bytes`
    yield length > 10_485_760 && breachAt('image-size', `${path}.image.source.base64`, tooLarge)
  }
  const { tools, system, cache_control } = body
  const cacheable = [...blocksOf(tools, 'tools'), ...blocksOf(system, 'system'), ...all]
  const cached = cacheable.filter((block) => block['cache_control'] != null)
  const count = cached.length + (cache_control == null ? 0 : 1)
  const found = `A maximum of 4 blocks with cache_control may be provided. Found ${count}.`
  yield count > 4 && breach('cache-breakpoints', 'cache_control', found)
  const isLong = (block: Block) => fieldsOf(block['cache_control'])['ttl'] === '1h'
  const long = cached.findLast(isLong)
  const order = "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block."
  const isAfterShort = long && cached.slice(0, cached.indexOf(long)).some((block) => !isLong(block))
  yield isAfterShort && breachAt('cache-ttl-order', `${long.path}.cache_control.ttl`, order)
  const messages = listOf(body['messages']).map(fieldsOf)
  for (const [at, { role, content }] of messages.entries()) {
    const isFinal = at === messages.length - 1 && role === 'assistant'
    const must = 'all messages must have non-empty content except for the optional final assistant message'
    yield Object(content).length === 0 && !isFinal && breachAt('empty-content', `messages[${at}]`, must)
  }
  const mustHave = 'messages: text content blocks must'
  for (const { path, text } of blocks.filter(({ type }) => type === 'text')) {
    const isBlank = text !== '' && !/\S/.test(textOf(text))
    yield text === '' && breach('empty-text', path, `${mustHave} be non-empty`)
    yield isBlank && breach('blank-text', path, `${mustHave} contain non-whitespace text`)
  }
  const { role, content } = messages.at(-1) ?? {}
  const end = typeof content === 'string' ? content : textOf(fieldsOf(listOf(content).at(-1))['text'])
  const isOpen = role === 'assistant' && /\S\s+$/.test(end.slice(-1000))
  const noSpace = 'messages: final assistant content cannot end with trailing whitespace'
  yield isOpen && breach('trailing-space', 'messages', noSpace)
}

/** @param path Path in the body. The error message starts with this path, with dots instead of brackets. */
function breachAt(rule: Rule, path: string, message: string) {
  return breach(rule, path.replace('.custom', ''), `${path.replace(/\[(\d+)\]/g, '.$1')}: ${message}`)
}

interface Block extends Fields {
  /** Such as `messages[1].content[0]`. */
  readonly path: string
  /** Index of the message that contains the block. */
  readonly at: number
}

function blocksOf(content: unknown, path: string, at = 0, role?: unknown): Block[] {
  return listOf(content).map((each, place) => ({ ...fieldsOf(each), path: `${path}[${place}]`, at, role }))
}

/** Groups tool calls and results by turn. */
function turnsIn(blocks: Block[], types: RegExp, isStart: (block: Block, before?: Block) => boolean) {
  const turns: (Block & Step)[][] = [[]]
  let isLate = false
  for (const [place, block] of blocks.entries()) {
    const before = blocks[place - 1]
    const { type, id, tool_use_id, at } = block
    isLate = before?.at === at && (isLate || before['type'] !== 'tool_result')
    if (isStart(block, before)) turns.push([])
    if (!types.test(textOf(type))) continue
    const kind = /_use$/.test(textOf(type)) ? 'call' : 'result'
    const step = { kind, id: textOf(id ?? tool_use_id), isLate: isLate && type === 'tool_result' } as const
    turns.at(-1)?.push({ ...block, ...step })
  }
  return turns
}
