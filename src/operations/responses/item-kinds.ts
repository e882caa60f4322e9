/** Types of output items whose fields are shown as scripted: their generated fields, and their events. */

interface ItemKind {
  /** Beginning of generated ids. */
  readonly prefix: string
  /** Fields that are generated if a script omits them. */
  readonly generated?: readonly ('status' | 'call_id')[]
  /** States reported before the text, after the text, and at the end, if the item has reached that state. */
  readonly before?: readonly string[]
  readonly after?: readonly string[]
  readonly ends?: readonly string[]
  readonly text?: StreamedText
  /** Fields without a value until the item is done. */
  readonly late?: readonly string[]
}

/** A text that is sent in deltas, with the name of its events. It can be in an inner object. */
export interface StreamedText {
  readonly field: string
  readonly within?: string
  readonly event: string
}

const call = ['status', 'call_id'] as const
const status = ['status'] as const
const ends = ['completed', 'failed']

export const itemKinds: Readonly<Record<string, ItemKind>> = {
  function_call: { prefix: 'fc', text: { field: 'arguments', event: 'function_call_arguments' } },
  web_search_call: { prefix: 'ws', before: ['in_progress', 'searching'], ends: ['completed'] },
  image_generation_call: {
    prefix: 'ig',
    before: ['in_progress', 'generating'],
    ends: ['completed'],
    late: ['result'],
  },
  custom_tool_call: {
    prefix: 'ctc',
    generated: call,
    text: { field: 'input', event: 'custom_tool_call_input' },
  },
  mcp_call: {
    prefix: 'mcp',
    generated: status,
    before: ['in_progress'],
    text: { field: 'arguments', event: 'mcp_call_arguments' },
    ends,
    late: ['output', 'error'],
  },
  mcp_list_tools: { prefix: 'mcpl', before: ['in_progress'], ends, late: ['tools'] },
  mcp_approval_request: { prefix: 'mcpr' },
  code_interpreter_call: {
    prefix: 'ci',
    generated: status,
    before: ['in_progress'],
    text: { field: 'code', event: 'code_interpreter_call_code' },
    after: ['interpreting'],
    ends: ['completed'],
    late: ['outputs'],
  },
  file_search_call: {
    prefix: 'fs',
    generated: status,
    before: ['in_progress', 'searching'],
    ends: ['completed'],
    late: ['queries', 'results'],
  },
  apply_patch_call: {
    prefix: 'apc',
    generated: call,
    text: { within: 'operation', field: 'diff', event: 'apply_patch_call_operation_diff' },
  },
  shell_call: { prefix: 'sh', generated: call },
  shell_call_output: { prefix: 'sho', generated: status },
  local_shell_call: { prefix: 'lsh', generated: call },
  computer_call: { prefix: 'cu', generated: call },
  tool_search_call: { prefix: 'tsc', generated: status },
  tool_search_output: { prefix: 'tso', generated: status },
  program: { prefix: 'cm', generated: ['call_id'] },
  program_output: { prefix: 'cmo', generated: status },
  compaction: { prefix: 'cmp' },
}

const otherKind: ItemKind = { prefix: 'item' }

export function itemKindOf(type: string): ItemKind {
  return (Object.hasOwn(itemKinds, type) && itemKinds[type]) || otherKind
}
