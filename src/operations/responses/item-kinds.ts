/** Output item types that are sent as scripted, plus their generated fields and events. */

interface ItemKind {
  readonly prefix: string
  /** Fields that are generated if a script omits them. */
  readonly generated?: readonly ('status' | 'call_id')[]
  /** States reported before and after the text, and final states, which are reported only if the status matches. */
  readonly before?: readonly string[]
  readonly after?: readonly string[]
  readonly ends?: readonly string[]
  readonly text?: string
  /** Fields that have no value until the item is done. */
  readonly late?: readonly string[]
}

const started = { before: ['in_progress'] }
const searching = { before: ['in_progress', 'searching'], ends: ['completed'] }
const generating = { before: ['in_progress', 'generating'], ends: ['completed'] }
const interpreting = { ...started, after: ['interpreting'], ends: ['completed'] }
const mcp = { ...started, ends: ['completed', 'failed'] }
const status = { generated: ['status'] } as const
const call = { generated: ['status', 'call_id'] } as const

export const itemKinds: Readonly<Record<string, ItemKind>> = {
  function_call: { prefix: 'fc', text: 'arguments' },
  web_search_call: { prefix: 'ws', ...searching },
  image_generation_call: { prefix: 'ig', ...generating, late: ['result'] },
  custom_tool_call: { prefix: 'ctc', ...call, text: 'input' },
  mcp_call: { prefix: 'mcp', ...status, ...mcp, text: 'arguments', late: ['output', 'error'] },
  mcp_list_tools: { prefix: 'mcpl', ...mcp, late: ['tools'] },
  mcp_approval_request: { prefix: 'mcpr' },
  code_interpreter_call: { prefix: 'ci', ...status, ...interpreting, text: 'code', late: ['outputs'] },
  file_search_call: { prefix: 'fs', ...status, ...searching, late: ['queries', 'results'] },
  apply_patch_call: { prefix: 'apc', ...call, text: 'operation.diff' },
  shell_call: { prefix: 'sh', ...call },
  shell_call_output: { prefix: 'sho', ...status },
  local_shell_call: { prefix: 'lsh', ...call },
  computer_call: { prefix: 'cu', ...call },
  tool_search_call: { prefix: 'tsc', ...status },
  tool_search_output: { prefix: 'tso', ...status },
  program: { prefix: 'cm', generated: ['call_id'] },
  program_output: { prefix: 'cmo', ...status },
  compaction: { prefix: 'cmp' },
}

export function itemKindOf(type: string): ItemKind {
  return (Object.hasOwn(itemKinds, type) && itemKinds[type]) || { prefix: 'item' }
}

/** Returns the name of the events that carry an item's text, such as `response.mcp_call_arguments`. */
export function textEventOf(type: string, path: string): string {
  return `response.${type}_${path.replace('.', '_')}`
}
