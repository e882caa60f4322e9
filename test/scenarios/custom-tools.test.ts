/** Tests tools that coding agents run: custom tools, whose input is text, and tools in a namespace. */
import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { call } from '../call.ts'

const custom = { type: 'custom', name: 'apply_patch', format: { type: 'text' } }
const closeAgent = { type: 'function', name: 'close_agent', parameters: { type: 'object' } }
const agents = { type: 'namespace', name: 'agents', tools: [closeAgent, { type: 'custom', name: 'note' }] }
const patch = '*** Begin Patch\n*** End Patch\n'
const question = { type: 'message', role: 'user', content: 'Edit it' }

async function ask(gateway: Gateway, body: object = {}) {
  const sent = { model: 'aurora/dawn-2', input: [question], tools: [custom, agents], ...body }
  const { body: reply } = await call(gateway, 'POST /responses', { body: sent })
  return { ...reply, warnings: gateway.journal.last('createResponse')?.warnings }
}

describe('a scripted call', () => {
  it.each([
    ['a custom tool, by its text', { apply_patch: patch }, { type: 'custom_tool_call', input: patch }],
    [
      'a custom tool, by input',
      { apply_patch: { input: patch } },
      { type: 'custom_tool_call', input: patch },
    ],
    [
      'a custom tool in a namespace',
      { note: 'x' },
      { type: 'custom_tool_call', input: 'x', namespace: 'agents' },
    ],
    [
      'a function in a namespace',
      { close_agent: { id: 1 } },
      { type: 'function_call', namespace: 'agents', arguments: '{"id":1}' },
    ],
  ])('of %s is shown as the real API shows it', async (_, scripted, item) => {
    const gateway = createGateway()
    gateway.script([{ expect: { tools: Object.keys(scripted) }, call: scripted }])
    const { output, warnings } = await ask(gateway)
    expect([output, warnings]).toEqual([
      [
        expect.objectContaining({
          ...item,
          name: Object.keys(scripted)[0],
          status: 'completed',
          id: expect.stringMatching(item.type === 'function_call' ? /^fc_/ : /^ctc_/),
          call_id: expect.stringMatching(/^call_/),
        }),
      ],
      [],
    ])
  })

  it('passes the text of a function as input', async () => {
    const gateway = createGateway()
    gateway.script([{ call: { apply_patch: patch } }])
    const tool = { ...closeAgent, name: 'apply_patch' }
    const { output, warnings } = await ask(gateway, { tools: [tool] })
    expect(output).toMatchObject([{ type: 'function_call', arguments: JSON.stringify({ input: patch }) }])
    expect(warnings).toEqual([])
  })

  it.each(['input', 'path'])(
    'with text, of a function with the parameter %s, warns unless it is input',
    async (name) => {
      const gateway = createGateway()
      gateway.script([{ call: { apply_patch: patch } }])
      const parameters = { type: 'object', properties: { [name]: {} } }
      const { warnings } = await ask(gateway, { tools: [{ ...closeAgent, name: 'apply_patch', parameters }] })
      const warning =
        "the script calls 'apply_patch' with 'input', which it lacks; text is for custom tools: write call: { apply_patch: { path: … } }"
      expect(warnings).toEqual(name === 'path' ? [warning] : [])
    },
  )

  it.each(['call', 'output'])('of a custom tool continues with its result, by %s', async (form) => {
    const gateway = createGateway()
    const item = { type: 'custom_tool_call', name: 'apply_patch', call_id: 'call_p1', input: patch }
    const first = form === 'call' ? { call: { apply_patch: patch } } : { output: [item] }
    gateway.script([first, { expect: { result: { apply_patch: 'Done' } }, text: 'Edited' }])
    const { output } = await ask(gateway)
    const result = { type: 'custom_tool_call_output', call_id: output[0].call_id, output: 'Done' }
    const last = await ask(gateway, { input: [question, ...output, result] })
    expect(last.output).toMatchObject([{ content: [{ text: 'Edited' }] }])
  })
})

it('streams the input of a custom tool', async () => {
  const gateway = createGateway()
  gateway.script([{ call: { apply_patch: patch } }])
  const body = { model: 'aurora/dawn-2', input: 'Edit it', tools: [custom], stream: true }
  const { text } = await call(gateway, 'POST /responses', { body })
  expect(text).toContain('"type":"response.custom_tool_call_input.done"')
})

it('reads the tools in an input item', async () => {
  const gateway = createGateway()
  gateway.script([{ expect: { tools: ['note', 'close_agent'] }, call: { note: 'x' } }])
  const input = [{ type: 'additional_tools', role: 'developer', tools: [agents] }, question]
  const { output, warnings } = await ask(gateway, { tools: undefined, input })
  expect([output, warnings]).toMatchObject([[{ type: 'custom_tool_call', namespace: 'agents' }], []])
})

it('warns only about tools that the gateway would run', async () => {
  const search = { type: 'tool_search', execution: 'client', parameters: {} }
  const hosted = [{ type: 'code_interpreter' }, { type: 'shell', environment: { type: 'container_auto' } }]
  const tools = [custom, agents, search, { type: 'local_shell' }, { type: 'shell' }, ...hosted]
  expect((await ask(createGateway(), { tools })).warnings).toEqual([
    "Tools of type 'code_interpreter', 'shell' were not run: the gateway only runs 'gateway:web_search'",
  ])
})

it('answers a compaction trigger with a compaction, and a script instead if there is one', async () => {
  const gateway = createGateway()
  const input = [question, { type: 'compaction_trigger' }]
  const { output, warnings } = await ask(gateway, { input })
  expect([output, warnings]).toEqual([
    [{ type: 'compaction', id: expect.stringMatching(/^cmp_/), encrypted_content: expect.any(String) }],
    [],
  ])
  gateway.reply('Summary')
  expect((await ask(gateway, { input })).output).toMatchObject([{ content: [{ text: 'Summary' }] }])
})
