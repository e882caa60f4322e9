import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'

/** An application with one chat thread. */
class Thread {
  readonly #messages: object[] = []
  readonly #gateway: ReturnType<typeof createGateway>

  constructor(gateway: ReturnType<typeof createGateway>) {
    this.#gateway = gateway
  }

  add(...messages: object[]): this {
    this.#messages.push(...messages)
    return this
  }

  /** Asks a question, runs the tools that the answer calls, and returns the final text or the error. */
  async ask(...texts: string[]) {
    for (const content of texts) this.add({ role: 'user', content })
    for (;;) {
      const body = { model: 'aurora/dawn-2', messages: this.#messages }
      const { choices, error } = (await call(this.#gateway, 'POST /chat/completions', { body })).body
      if (error) return error
      const [{ message }] = choices
      this.add(message)
      if (!message.tool_calls) return message.content
      for (const { id } of message.tool_calls) this.add({ role: 'tool', tool_call_id: id, content: '{}' })
    }
  }
}

const weather = [
  { expect: { input: 'weather' }, call: { get_weather: { city: 'Oslo' } } },
  { text: 'It is 22.' },
]
const flights = [
  { expect: { input: 'flights' }, call: { find_flights: { to: 'JFK' } } },
  { text: 'Three flights.' },
]

describe('scripts in one conversation', () => {
  it('take over from a script that lets requests pass after its last turn', async () => {
    const gateway = createGateway()
    gateway.script(weather, { onEnd: 'pass' })
    gateway.script(flights, { onEnd: 'pass' })
    gateway.script([{ expect: { input: 'thanks' }, text: 'Bye.' }])
    const thread = new Thread(gateway)
    expect(await thread.ask('weather in Oslo?')).toBe('It is 22.')
    expect(await thread.ask('and flights to JFK?')).toBe('Three flights.')
    expect(await thread.ask('thanks')).toBe('Bye.')
    expect(gateway.journal.calls('createChatCompletion').map(({ turn }) => turn?.conversation)).toEqual([
      1, 1, 1, 1, 1,
    ])
    expect((await thread.ask('more')).message).toBe(
      "script() number 3: there is no turn 2: the script has 1 turn; to let later requests pass, set onEnd: 'pass'",
    )
  })

  it('leave conversations alone that their `when` does not match', async () => {
    const gateway = createGateway()
    gateway.script(weather, { when: { input: 'Oslo' } })
    gateway.reply('Other')
    expect(await new Thread(gateway).ask('A title')).toBe('Other')
    expect(await new Thread(gateway).ask('weather in Oslo?')).toBe('It is 22.')
    expect(await new Thread(gateway).ask('A title')).toBe('Other')
  })

  it('name a call id in the history that no script sent', async () => {
    const gateway = createGateway()
    gateway.script(weather)
    const tool_calls = [
      { id: 'call_9', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
    ]
    const thread = new Thread(gateway).add(
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: null, tool_calls },
      { role: 'tool', tool_call_id: 'call_9', content: '{}' },
    )
    expect((await thread.ask()).message).toBe(
      "script(): no script sent the call id 'call_9'; turn 1 of 2 does not match: expected a user message containing 'weather', but received 'Hi'; to let other conversations pass, limit the script with when, which applies to every turn",
    )
  })

  it('expect their input in any user message since the last turn', async () => {
    const gateway = createGateway()
    gateway.script([{ text: 'First.' }, { expect: { input: 'flights' }, text: 'Second.' }])
    const thread = new Thread(gateway)
    await thread.ask('flights?')
    expect((await thread.ask('Hello', 'Reminder: be brief.')).message).toContain(
      "expected a user message containing 'flights', but received 'Hello' and 'Reminder: be brief.'",
    )
    expect(await thread.ask('flights, please', 'Reminder: be brief.')).toBe('Second.')
  })
})
