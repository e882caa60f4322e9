/**
 * A conversation as turns: the input of a model request, whatever its protocol.
 */

interface Turn {
  who: string
  text: string
}

export function Conversation({ body }: { body: unknown }) {
  const turns = turnsOf(body)
  if (turns.length === 0) return null
  return (
    <section>
      <h3>Conversation</h3>
      <ol class="turns">
        {turns.map(({ who, text }, index) => (
          <li key={index} class={who === 'user' ? 'user' : undefined}>
            <span class="who">{who}</span>
            <span class="said">{text}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

export function turnsOf(body: unknown): Turn[] {
  if (!isObject(body)) return []
  const { instructions, system, input, messages } = body
  const first = textOf(instructions ?? system)
  const items = input ?? messages
  return [
    ...(first ? [{ who: 'instructions', text: first }] : []),
    ...(typeof items === 'string' ? [{ who: 'user', text: items }] : []),
    ...(Array.isArray(items) ? items.flatMap(turnOf) : []),
  ]
}

function turnOf(item: unknown): Turn[] {
  if (!isObject(item)) return []
  const { type, role, name, output, content } = item
  const args = item['arguments']
  if (type === 'function_call') return [{ who: `calls ${name}`, text: textOf(args) }]
  if (type === 'function_call_output') return [{ who: 'result', text: textOf(output) }]
  const calls = Array.isArray(item['tool_calls']) ? item['tool_calls'].filter(isObject) : []
  return [
    { who: typeof role === 'string' ? role : String(type ?? 'item'), text: textOf(content) },
    ...calls.map(({ function: called }) => ({
      who: `calls ${isObject(called) ? called['name'] : ''}`,
      text: isObject(called) ? textOf(called['arguments']) : '',
    })),
  ]
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n')
  if (!isObject(value)) return ''
  return typeof value['text'] === 'string' ? value['text'] : JSON.stringify(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
