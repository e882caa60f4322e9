import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { connectGateway } from '../../src/remote.ts'
import type { Rule } from '../../src/scenarios/scenario.ts'
import { startServer } from '../../src/serve.ts'
import { call } from '../call.ts'

type Json = Record<string, unknown>
type Turns = NonNullable<Rule['script']>

const functions = ['search', 'book'].map((name) => ({
  type: 'function',
  name,
  parameters: { type: 'object' },
}))

/** A minimal agent: keeps the conversation, adds function results and user messages, and resends it. */
class Agent {
  readonly input: Json[]
  readonly #gateway: Pick<Gateway, 'fetch'>

  constructor(gateway: Pick<Gateway, 'fetch'>, question: string) {
    this.#gateway = gateway
    this.input = [{ role: 'user', content: question }]
  }

  async ask(body: Json = {}) {
    const {
      status,
      headers,
      body: reply,
    } = await call(this.#gateway, 'POST /responses', {
      body: { model: 'aurora/dawn-2', tools: functions, input: this.input, ...body },
    })
    if (status === 200) this.input.push(...reply.output)
    return { code: status, retry: headers.get('x-should-retry'), ...reply }
  }

  /** Adds results for the open function calls, in order. */
  results(...outputs: string[]): this {
    const answered = new Set(
      this.input.flatMap(({ type, call_id }) => (type === 'function_call_output' ? [call_id] : [])),
    )
    const open = this.input.filter(({ type, call_id }) => type === 'function_call' && !answered.has(call_id))
    for (const [index, output] of outputs.entries())
      this.input.push({ type: 'function_call_output', call_id: open[index]?.['call_id'], output })
    return this
  }

  says(content: string): this {
    this.input.push({ role: 'user', content })
    return this
  }
}

const boats: Turns = [
  { expect: { tools: ['search', 'book'] }, call: { search: { q: 'tides' } } },
  {
    expect: { result: { search: 'high at six' } },
    call: [{ book: { boat: 'Aurora' } }, { book: { boat: 'Borealis' } }],
  },
  { text: 'Both boats are booked.', usage: { input_tokens: 420 } },
]

/** Starts a gateway with a script, and an agent that talks to it. */
function begin(turns: Turns, question = 'Book two boats') {
  const gateway = createGateway()
  gateway.script(turns)
  return { gateway, agent: new Agent(gateway, question) }
}

const textOf = (reply: Json) =>
  (reply as { output: { content: { text: string }[] }[] }).output[0]?.content[0]?.text

describe('script()', () => {
  it('replies turn by turn with a function call, parallel calls, and text with usage', async () => {
    const { agent } = begin(boats)
    expect((await agent.ask()).output).toMatchObject([{ name: 'search', arguments: '{"q":"tides"}' }])
    const parallel = await agent.results('The tide is high at six').ask()
    expect(parallel.output).toMatchObject([
      { name: 'book', arguments: '{"boat":"Aurora"}' },
      { name: 'book', arguments: '{"boat":"Borealis"}' },
    ])
    expect(new Set(parallel.output.map((call: Json) => call['call_id'])).size).toBe(2)
    const last = await agent.results('ok', 'ok').ask()
    expect(textOf(last)).toBe('Both boats are booked.')
    expect(last.usage).toMatchObject({ input_tokens: 420, total_tokens: 420 + last.usage.output_tokens })
  })

  it('rejects an unexpected result with the turn, expected and received values, and stays at that turn', async () => {
    const { agent } = begin(boats)
    await agent.ask()
    const rejected = await agent.results('low at noon').ask()
    expect(rejected).toMatchObject({
      code: 400,
      retry: 'false',
      error: {
        message:
          "script(): turn 2 of 3 does not match: expected a result of 'search' containing 'high at six', but received 'low at noon'",
        metadata: { turn: 2 },
      },
    })
    const result = { ...agent.input.pop(), output: 'high at six' }
    agent.input.push({ ...result, call_id: 'x' })
    expect((await agent.ask()).error.message).toBe(
      "script(): no script sent the call id 'x'; turn 2 of 3 does not match: expected a result of 'search' containing 'high at six', but received none; for an unknown call: 'high at six'",
    )
    agent.input[agent.input.length - 1] = result
    expect((await agent.ask()).code).toBe(200)
  })

  const checks: [
    string,
    NonNullable<NonNullable<Turns[number]['expect']>['result']>[string],
    string[],
    string[],
  ][] = [
    ['a substring', 'six', ['high at six'], ['high at noon']],
    [
      'a regular expression',
      { matches: '^high at \\w+$', flags: 'i' },
      ['High at six'],
      ['it is high at six'],
    ],
    ['fields of JSON', { tide: { high: 6 } }, ['{"tide":{"high":6,"low":12}}'], ['{"tide":{"high":7}}']],
    ['patterns in JSON', { boat: { matches: 'ora$' } }, ['{"boat":"Aurora"}'], ['{"boat":"Borealis"}']],
    [
      'all items of a list',
      { tide: [1, { at: 6 }] },
      ['{"tide":[1,{"at":6,"in":"Oslo"}]}'],
      ['{"tide":[1]}'],
    ],
    ['the length of a list', { tide: [1] }, ['{"tide":[1]}'], ['{"tide":[1,2]}']],
    ['a list instead of an object', { tide: [1] }, ['{"tide":[1]}'], ['{"tide":{"0":1}}']],
    ['an object instead of a list', { tide: { 0: 1 } }, ['{"tide":{"0":1}}'], ['{"tide":[1]}']],
    ['one of several results', 'Borealis', ['Aurora', 'Borealis'], ['Aurora', 'Aurora']],
    ['each result in order', ['Aurora', 'Borealis'], ['Aurora', 'Borealis'], ['Borealis', 'Aurora']],
  ]
  it.each(checks)('checks function results: %s', async (_title, check, good, bad) => {
    for (const [outputs, status] of [
      [good, 200],
      [bad, 400],
    ] as const) {
      const gateway = createGateway()
      const call = outputs.map(() => ({ search: {} }))
      gateway.script([{ call }, { expect: { result: { search: check } }, text: 'Done' }])
      const agent = new Agent(gateway, 'Hello')
      await agent.ask()
      expect((await agent.results(...outputs).ask()).code).toBe(status)
    }
  })

  it('checks the last user message and the offered functions', async () => {
    const gateway = createGateway()
    gateway.script([{ expect: { input: 'boats', tools: ['search'] }, text: 'Hello' }])
    const wrong = await new Agent(gateway, 'Book a train').ask({ tools: [] })
    expect(wrong.error.message).toBe(
      "script(): turn 1 of 1 does not match: expected a user message containing 'boats', but received 'Book a train'; expected the functions search, but received none; to let other conversations pass, limit the script with when, which applies to every turn",
    )
    expect((await new Agent(gateway, 'Book two boats').ask()).code).toBe(200)
  })

  it('rejects, starts over, repeats the last turn, or passes after its last turn, according to `onEnd`', async () => {
    const turns = [{ text: 'One' }, { text: 'Two' }]
    const third = async (onEnd?: Rule['onEnd']) => {
      const gateway = createGateway()
      gateway.reply('From an older rule')
      gateway.script(turns, { onEnd })
      const agent = new Agent(gateway, 'Hello')
      await agent.ask()
      await agent.says('Go on').ask()
      const last = await agent.says('And on').ask()
      const other = await new Agent(gateway, 'Another').ask()
      const scripts = gateway.scripts()
      return { last, other, scripts, turnEntries: gateway.journal.entries().map(({ turn }) => turn) }
    }
    const failed = await third()
    expect(failed.scripts).toEqual([
      {
        scenario: 'script',
        rule: 1,
        turns: 2,
        conversations: [{ conversation: 1, turns: 2, problem: 'expected no turn 3: the script has 2 turns' }],
        problem: null,
      },
    ])
    expect(failed.last.error.message).toBe(
      "script(): there is no turn 3: the script has 2 turns; to let later requests pass, set onEnd: 'pass'",
    )
    expect(failed.other.error.message).toContain('this is a new conversation')
    expect(failed.turnEntries.at(-1)).toMatchObject({ conversation: 0, number: 1, total: 2 })
    const repeated = await third('repeat')
    expect([textOf(repeated.last), textOf(repeated.other)]).toEqual(['One', 'One'])
    expect(failed.other.error.metadata).toEqual({ turn: 1 })
    const last = await third('repeat-last')
    expect([textOf(last.last), textOf(last.other)]).toEqual(['Two', 'Two'])
    const passed = await third('pass')
    expect([textOf(passed.last), textOf(passed.other)]).toEqual(['From an older rule', 'From an older rule'])
  })

  it.each(['repeat', 'repeat-last'] as const)(
    'starts a new conversation with %s only if its turn matches',
    async (onEnd) => {
      const gateway = createGateway()
      const expecting = { expect: { input: 'boats' }, text: 'Boats' }
      const other = { text: 'Anything' }
      gateway.script(onEnd === 'repeat' ? [expecting, other] : [other, expecting], { onEnd })
      await new Agent(gateway, 'Two boats').ask()
      expect((await new Agent(gateway, 'Two trains').ask()).error.message).toBe(
        'script(): this is a new conversation, or the client changed its history, and the script is already used by another; to let other conversations pass, limit the script with when, which applies to every turn',
      )
      expect(textOf(await new Agent(gateway, 'Three boats').ask())).toBe('Boats')
    },
  )

  it('applies only in the state of its rule, and explains why it lets a request pass', async () => {
    const gateway = createGateway()
    gateway.use({ on: 'text', when: { state: 'other' }, script: [{ text: 'Other' }], onEnd: 'pass' })
    gateway.use({ on: 'listProviders', setState: 'other' })
    const ask = (question: string) => new Agent(gateway, question).ask()
    expect(textOf(await ask('One'))).not.toBe('Other')
    expect(gateway.journal.last('createResponse')?.nearMisses).toEqual([
      {
        scenario: 'rule',
        rule: 1,
        kind: 'state',
        reason: "the inline rule expected the state 'other', but it is 'started'",
      },
    ])
    await call(gateway, 'GET /providers')
    expect(textOf(await ask('Two'))).toBe('Other')
  })

  it('supports faults at any turn, and replies to a retry with the next turn', async () => {
    const gateway = createGateway()
    gateway.script([
      { fault: { name: 'status', status: 503 } },
      { call: { search: {} } },
      { fault: 'rate-limit' },
      { text: 'Done', fault: { name: 'latency', ms: 1 } },
    ])
    const agent = new Agent(gateway, 'Hello')
    expect([(await agent.ask()).code, (await agent.ask()).code]).toEqual([503, 200])
    agent.results('six')
    expect((await agent.ask()).code).toBe(429)
    expect(textOf(await agent.ask())).toBe('Done')
  })

  it('streams a turn with a stream fault', async () => {
    const gateway = createGateway()
    gateway.script([{ call: { search: { q: 'tides' } }, fault: 'stream-without-done' }])
    const body = { model: 'aurora/dawn-2', input: 'Hello', stream: true }
    const { text } = await call(gateway, 'POST /responses', { body })
    expect(text).toContain('response.function_call_arguments.delta')
    expect(text).not.toContain('[DONE]')
  })
})

describe('scripted conversations', () => {
  it('start the oldest script whose first turn matches', async () => {
    const gateway = createGateway()
    gateway.script([{ expect: { input: 'boats' }, text: 'About boats' }])
    gateway.script([{ text: 'First' }])
    gateway.script([{ text: 'Second' }])
    const texts = []
    for (const question of ['Hello', 'Two boats', 'Hello'])
      texts.push(textOf(await new Agent(gateway, question).ask()))
    expect(texts).toEqual(['First', 'About boats', 'Second'])
  })

  it('are distinguished by call ids, even 50 in parallel with the same first message', async () => {
    const gateway = createGateway()
    const numbers = Array.from({ length: 50 }, (_value, index) => index)
    for (const number of numbers) {
      gateway.script([
        { call: { search: { number } } },
        { expect: { result: { search: `for ${number}.` } }, call: [{ book: { number } }, { book: {} }] },
        { expect: { result: { book: [`booked ${number}.`, 'ok'] } }, text: `Done with ${number}` },
      ])
    }
    const ends = await Promise.all(
      numbers.map(async () => {
        const agent = new Agent(gateway, 'Go')
        const { output } = await agent.ask()
        const { number } = JSON.parse(output[0].arguments)
        await agent.results(`for ${number}.`).ask()
        return [number, textOf(await agent.results(`booked ${number}.`, 'ok').ask())]
      }),
    )
    expect(ends.map(([number]) => number).sort((left, right) => left - right)).toEqual(numbers)
    for (const [number, text] of ends) expect(text).toBe(`Done with ${number}`)
  })

  it('are identified by their history if the client generates call ids or sends item references', async () => {
    const gateway = createGateway()
    gateway.script([
      { call: { search: { q: 1, r: 2 } } },
      { expect: { result: { search: 'six' } }, text: 'Done' },
    ])
    const agent = new Agent(gateway, 'Hello')
    await agent.ask()
    agent.input[1] = { type: 'function_call', call_id: 'x1', name: 'search', arguments: '{"r":2,"q":1}' }
    expect(textOf(await agent.results('six').ask())).toBe('Done')

    gateway.script([{ text: 'One' }, { text: 'Two' }])
    const other = new Agent(gateway, 'Good evening')
    await other.ask()
    other.input[1] = { type: 'item_reference', id: other.input[1]?.['id'] }
    expect(textOf(await other.says('More').ask())).toBe('Two')
  })

  it('match the newest results by function name if the client generates call ids', async () => {
    const gateway = createGateway()
    gateway.script([
      { call: { search: { q: 1 } } },
      { expect: { result: { search: 'six' } }, text: 'And now', call: { search: { q: 2 } } },
      { expect: { result: { search: 'seven' } }, text: 'Done' },
    ])
    const agent = new Agent(gateway, 'Hello')
    const replaceCallIds = (...ids: string[]) => {
      let next = 0
      for (const [place, item] of agent.input.entries())
        if (item['type'] === 'function_call') agent.input[place] = { ...item, call_id: ids[next++] }
    }
    await agent.ask()
    replaceCallIds('x1')
    expect((await agent.results('six').ask()).code).toBe(200)
    replaceCallIds('x1', 'x2')
    const rejected = await agent.results('six').ask()
    expect([rejected.code, rejected.error.message]).toEqual([
      400,
      expect.stringContaining('turn 3 of 3 does not match'),
    ])
    expect(rejected.error.metadata).toMatchObject({ turn: 3 })
    agent.input.pop()
    agent.input.push({ type: 'function_call_output', call_id: 'unknown', output: 'seven' })
    expect((await agent.ask()).code).toBe(400)
    agent.input.pop()
    agent.says('Here it is')
    agent.input.push({ type: 'function_call_output', call_id: 'x2', output: 'seven' })
    expect(textOf(await agent.ask())).toBe('Done')
  })

  it('are distinguished by the first user message if the replies are the same', async () => {
    const gateway = createGateway()
    gateway.script([{ text: 'One' }, { text: 'First' }])
    gateway.script([{ text: 'One' }, { text: 'Second' }])
    const [first, second] = [new Agent(gateway, 'Hello'), new Agent(gateway, 'Goodbye')]
    await first.ask()
    await second.ask()
    expect(textOf(await second.says('More').ask())).toBe('Second')
    expect(textOf(await first.says('More').ask())).toBe('First')
  })

  it('continue from the least advanced one if several have the same first message', async () => {
    const gateway = createGateway()
    gateway.script([{ text: 'One' }, { text: 'Two' }, { text: 'Three' }], { onEnd: 'repeat' })
    gateway.script([{ text: 'One' }, { text: 'Second' }, { text: 'Third' }])
    const [first, second] = [new Agent(gateway, 'Hello'), new Agent(gateway, 'Hello')]
    await first.ask()
    expect(textOf(await first.says('More').ask())).toBe('Two')
    expect(textOf(await second.ask())).toBe('One')
    expect(textOf(await second.says('More').ask())).toBe('Second')
    expect(textOf(await first.says('More').ask())).toBe('Three')
  })

  it('continue after a refusal, but not if the client changes it', async () => {
    const codes = ['No boats.', 'Boats'].map(async (refusal) => {
      const gateway = createGateway()
      gateway.script([
        { output: [{ type: 'message', content: [{ refusal: 'No boats.' }] }] },
        { text: 'Two' },
      ])
      const agent = new Agent(gateway, 'Hello')
      await agent.ask()
      agent.input[1] = { role: 'assistant', content: [{ type: 'refusal', refusal }] }
      return (await agent.says('More').ask()).code
    })
    expect(await Promise.all(codes)).toEqual([200, 400])
  })

  it('check only the results of the previous turn, even if the client adds other calls', async () => {
    const { agent } = begin([
      { call: { search: {} } },
      { expect: { result: { search: ['six'] } }, text: 'Done' },
    ])
    await agent.ask()
    agent.results('six')
    agent.input.push(
      { type: 'function_call', call_id: 'mine', name: 'search', arguments: '{}' },
      { type: 'function_call_output', call_id: 'mine', output: 'seven' },
    )
    expect(textOf(await agent.ask())).toBe('Done')
  })

  it('are numbered from 1 again after a reset of the scenarios', async () => {
    const gateway = createGateway()
    for (const text of ['One', 'Two']) {
      gateway.script([{ text }])
      await new Agent(gateway, 'Hello').ask()
      gateway.resetScenarios()
    }
    expect(gateway.journal.entries().map(({ turn }) => turn?.conversation)).toEqual([1, 1])
  })

  it('continue if the client shortens or extends the text, but not if it changes the text', async () => {
    const codes = ['Tides', 'Tides rise [1]', ' Tides rise', '', 'Boats'].map(async (content) => {
      const { agent } = begin([{ text: 'Tides rise' }, { text: 'Tides fall' }])
      await agent.ask()
      agent.input[1] = { role: 'assistant', content }
      return (await agent.says('More').ask()).code
    })
    expect(await Promise.all(codes)).toEqual([200, 200, 200, 400, 400])
  })

  it('are rejected or passed through once every script is in use', async () => {
    const gateway = createGateway()
    gateway.script([{ expect: { input: 'Boats' }, text: 'A' }])
    gateway.script([{ text: 'B' }], { onEnd: 'pass' })
    expect(textOf(await new Agent(gateway, 'Hello').ask())).toBe('B')
    const rejected = await new Agent(gateway, 'Other').ask()
    expect([rejected.code, rejected.error.message]).toEqual([
      400,
      expect.stringContaining('turn 1 of 1 does not match'),
    ])
    expect(gateway.journal.last('createResponse')?.turn).toEqual({
      conversation: 0,
      number: 1,
      total: 1,
      mismatch: "a user message containing 'Boats', but received 'Other'",
    })
    expect(textOf(await new Agent(gateway, 'Boats').ask())).toBe('A')
    expect(textOf(await new Agent(gateway, 'Other').ask())).not.toBe('B')

    const strict = createGateway()
    const rejection = async () => (await new Agent(strict, 'More').ask()).error?.message
    for (const [text, problem] of [
      ['A', 'the script is already used by another'],
      ['B', 'all 2 scripts are already used by others'],
    ] as const) {
      strict.script([{ text }])
      expect(textOf(await new Agent(strict, text).ask())).toBe(text)
      expect(await rejection()).toContain(
        `${problem}; to accept it, call script() again, or set onEnd: 'repeat' or 'pass'; to let other`,
      )
    }
  })

  it('are part of a sandbox snapshot', async () => {
    const { gateway, agent } = begin(boats)
    await agent.ask()
    agent.results('high at six')
    const snapshot = gateway.snapshot()
    const before = [...agent.input]
    expect((await agent.ask()).code).toBe(200)
    gateway.restore(snapshot)
    agent.input.splice(0, Number.POSITIVE_INFINITY, ...before)
    expect((await agent.ask()).output).toHaveLength(2)
  })
})

describe('script turns', () => {
  it('reply with output items of any kind, an id and a status, from which the conversation continues', async () => {
    const gateway = createGateway()
    gateway.script([
      {
        id: 'resp_first',
        output: [
          { type: 'reasoning', summary: 'They want boats.' },
          { type: 'message', content: [{ text: 'Let me ' }, { text: 'look.' }] },
          { type: 'function_call', name: 'search', arguments: { q: 'tides' } },
          { type: 'function_call', name: 'book', call_id: 'call_mine' },
        ],
      },
      {
        expect: { result: { search: 'high at six', book: 'ok' } },
        text: 'Both boats are',
        incompleteReason: 'content_filter',
      },
      { output: [{ type: 'message', content: [{ refusal: 'No more boats.' }] }], text: 'Sorry.' },
    ])
    const agent = new Agent(gateway, 'Book two boats')
    const first = await agent.ask()
    expect(first).toMatchObject({ id: 'resp_first', status: 'completed' })
    expect(first.output.map(({ type }: Json) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ])
    expect(first.output[3]['call_id']).toBe('call_mine')
    const second = await agent.results('The tide is high at six', 'ok').ask()
    expect(second).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ content: [{ text: 'Both boats are' }] }],
    })
    const third = await agent.says('And a third?').ask()
    expect(third.output.map(({ content: [part] }: { content: Json[] }) => part?.['type'])).toEqual([
      'refusal',
      'output_text',
    ])
    expect(gateway.scripts()).toMatchObject([{ conversations: [{ turns: 3, problem: null }] }])
  })

  it('can fail, and a retry gets the next turn', async () => {
    const gateway = createGateway()
    gateway.script([
      { error: { code: 'rate_limit_exceeded', message: 'Too fast' } },
      { responseStatus: 'cancelled', output: [{ type: 'message', content: 'Half an' }] },
      { text: 'Now' },
    ])
    const ask = () => new Agent(gateway, 'Hello').ask()
    expect(await ask()).toMatchObject({ status: 'failed', error: { message: 'Too fast' }, output: [] })
    expect(await ask()).toMatchObject({ status: 'cancelled' })
    expect(textOf(await ask())).toBe('Now')
  })

  it.each([
    [{ usage: { input_tokens: 1 }, fault: 'latency' }, 'usage has no reply to describe: remove it'],
    [
      { text: 'x', responseStatus: 'failed', incompleteReason: 'content_filter' },
      "incompleteReason cannot be combined with responseStatus 'failed'; write 'incomplete'",
    ],
    [
      { output: [], fault: 'status' },
      "fault: 'status' replaces the turn's reply, so move the fault to a separate turn",
    ],
  ])('reject contradictory fields: %j', (turn, message) => {
    expect(() => createGateway().script([turn as never])).toThrow(`script(): turns[0].${message}`)
  })
})

describe('scripts', () => {
  it("record each request's conversation and turn in the journal", async () => {
    const { gateway, agent } = begin(boats)
    await agent.ask()
    await agent.results('low').ask()
    const problem = "a result of 'search' containing 'high at six', but received 'low'"
    const [first, second] = gateway.journal.entries()
    expect(first?.turn).toEqual({ conversation: 1, number: 1, total: 3, mismatch: null })
    expect(second?.turn).toEqual({ conversation: 1, number: 2, total: 3, mismatch: problem })
    expect(gateway.journal.explain(second as { id: string })).toContain(
      `Script: turn 2 of 3 in conversation 1, but expected ${problem}.`,
    )
    expect(gateway.scripts()).toEqual([
      {
        scenario: 'script',
        rule: 1,
        turns: 3,
        conversations: [{ conversation: 1, turns: 1, problem: `turn 2 expected ${problem}` }],
        problem: null,
      },
    ])
  })

  it('can be used through the remote client, alone and in a scenario', async () => {
    await using server = await startServer()
    const gateway = await connectGateway(server.url)
    await gateway.use({
      name: 'loop',
      rules: [{ on: 'createResponse', script: [{ text: 'From afar' }], onEnd: 'pass' }],
    })
    await gateway.script([{ text: 'From a script' }])
    const local = {
      fetch: (url: unknown, init: RequestInit) =>
        fetch(String(url).replace('https://gateway.example/api/v1', server.baseUrl), init),
    }
    const agent = (question: string) => new Agent(local as never, question)
    expect([textOf(await agent('a').ask()), textOf(await agent('b').ask())]).toEqual([
      'From afar',
      'From a script',
    ])
    expect(await gateway.scripts()).toMatchObject([
      { scenario: 'loop', turns: 1 },
      { scenario: 'script', turns: 1 },
    ])
    expect(await gateway.journal.entries()).toMatchObject([
      { turn: { conversation: 1 } },
      { turn: { conversation: 2 } },
    ])
  })

  it.each([
    [{ on: 'createResponse', script: [] }, 'script'],
    [
      { on: 'createResponse', script: [{ expect: { input: 'x' } }] },
      'script[0] has no reply: add text, a call, output or a fault',
    ],
    [
      { on: 'listProviders', script: [{ text: 'x' }] },
      "script is for operations that generate text, but 'listProviders' does not",
    ],
    [
      { on: 'createResponse', script: [{ text: 'x' }], times: 1 },
      'times cannot be combined with script: its turns determine the replies',
    ],
    [
      { on: 'createResponse', fault: 'status', onEnd: 'fail' },
      "onEnd: 'fail' has no effect: the rule needs a script, a sequence or times",
    ],
    [
      { on: 'createResponse', script: [{ texts: 'x' }] },
      "unknown field 'script[0].texts'; did you mean 'text'?",
    ],
    [
      { on: 'createResponse', script: [{ text: 'x', expect: { input: { matches: '(' } } }] },
      'script[0].expect.input.matches: the regular expression /(/ cannot be used: Unterminated group',
    ],
    [
      { on: 'createResponse', script: [{ text: 'x' }], onEnd: 'stop' },
      "onEnd must be 'pass', 'fail', 'repeat' or 'repeat-last', got 'stop'",
    ],
  ])('are rejected by use() if they are invalid: %j', (rule, message) => {
    expect(() => createGateway().use(rule as never)).toThrow(`use(): ${message}`)
  })
})

describe("a script's memory", () => {
  it('is cut for huge requests: the problem, the reply and the first message', async () => {
    const turns = [{ expect: { input: 'tides', tools: ['search'] }, text: 'Hi' }]
    const { gateway, agent } = begin(turns, 'x'.repeat(500_000))
    const tools = Array.from({ length: 5000 }, (_, index) => ({ ...functions[0], name: `tool_${index}` }))
    const { code, error } = await agent.ask({ tools })
    expect(code).toBe(400)
    expect(JSON.stringify(error).length).toBeLessThan(20_000)
    expect(gateway.scripts()[0]?.problem?.length).toBeLessThan(3000)
    expect(gateway.journal.last('createResponse')?.turn?.mismatch?.length).toBeLessThan(3000)
  })
})

it('a script can be built by a function, from arguments with an interface', async () => {
  interface Place {
    city: string
  }
  const args: Place = { city: 'Oslo' }
  const turns = ['weather', 'time'].map((name) =>
    name === 'time' ? { call: { time: args } } : { call: { weather: args } },
  )
  const gateway = createGateway()
  gateway.script(turns)
  const { body } = await call(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hi' } })
  expect(body.output[0]).toMatchObject({ name: 'weather', arguments: '{"city":"Oslo"}' })
})
