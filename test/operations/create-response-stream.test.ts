import { createParser } from 'eventsource-parser'
import { expect, it } from 'vitest'
import { ResponseObject } from '../../src/operations/responses/response-object.ts'
import { describeAdapters, type Entrance } from '../describe-adapters.ts'

const model = 'aurora/dawn-2'

// biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of events
type Event = any

/** Parses a stream's events with an independent parser. The last one is the string `[DONE]`. */
function eventsOf(text: string): Event[] {
  const events: Event[] = []
  const parser = createParser({
    onEvent: ({ data }) => events.push(data === '[DONE]' ? data : JSON.parse(data)),
  })
  parser.feed(text)
  return events
}

function streaming(entrance: Entrance) {
  return async (body: object = {}): Promise<Event[]> => {
    const answer = await entrance.call('POST /responses', {
      body: { model, input: 'Hello', stream: true, ...body },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
    return eventsOf(answer.text)
  }
}

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
const typesOf = (events: Event[]): string[] => events.map((event) => event.type ?? event)
const ofType = (events: Event[], type: string) => events.filter((event) => event.type === type)
/** Event types in order, without consecutive duplicates. */
const outline = (events: Event[]) => typesOf(events).filter((type, index, all) => type !== all[index - 1])

describeAdapters('POST /responses with stream: true', (entrance) => {
  const stream = streaming(entrance)

  it('sends the events of a message in order, and ends with [DONE]', async () => {
    expect(outline(await stream())).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
      '[DONE]',
    ])
  })

  it('starts with an empty response in progress and ends with the completed response', async () => {
    const events = await stream()
    for (const { response } of [events[0], events[1]]) {
      expect(response).toMatchObject({ status: 'in_progress', completed_at: null, output: [] })
      expect(() => ResponseObject.parse(response)).not.toThrow()
    }
    expect(events[2].item).toMatchObject({ status: 'in_progress', role: 'assistant', content: [] })
    const { response } = events.at(-2)
    expect(() => ResponseObject.parse(response)).not.toThrow()
    expect(response).toMatchObject({ status: 'completed', id: events[0].response.id })
  })

  it('sends one delta per token, which together form the text', async () => {
    const events = await stream({ input: 'Mitä 👩‍👩‍👧 kuuluu?' })
    const deltas = ofType(events, 'response.output_text.delta').map(({ delta }) => delta)
    const { response } = events.at(-2)
    expect(deltas).toHaveLength(response.usage.output_tokens)
    expect(deltas.join('')).toBe(response.output[0].content[0].text)
    expect(deltas.some((delta) => delta.includes('👩‍👩‍👧'))).toBe(true)
  })

  it('uses the same item ids in all events', async () => {
    const events = await stream({ model: `${model}:online` })
    const { output } = events.at(-2).response
    for (const event of events) {
      if (event.item) expect(event.item.id).toBe(output[event.output_index].id)
      if (event.item_id) expect(event.item_id).toBe(output[event.output_index].id)
    }
  })

  it.each<[string, object]>([
    ['a plain reply', {}],
    ['a search', { model: `${model}:online` }],
    ['a truncated reply', { model: `${model}:online`, max_output_tokens: 60 }],
    ['structured output', { text: { format: { type: 'json_schema', name: 'x', schema } } }],
  ])('ends with the same response as without streaming, except for ids: %s', async (_, body) => {
    const streamed = (await stream(body)).at(-2).response
    const plain = (await entrance.call('POST /responses', { body: { model, input: 'Hello', ...body } })).body
    const withoutIds = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (key, inner) => (key === 'id' ? undefined : inner)))
    expect(withoutIds(streamed)).toEqual(withoutIds(plain))
  })

  it('ends with response.incomplete if max_output_tokens is reached', async () => {
    const events = await stream({ max_output_tokens: 5 })
    expect(ofType(events, 'response.output_text.delta')).toHaveLength(5)
    expect(ofType(events, 'response.output_item.done')[0].item.status).toBe('incomplete')
    expect(events.at(-2)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    })
    expect(events.at(-1)).toBe('[DONE]')
  })
})

describeAdapters(
  "POST /responses with stream: { events: 'documented' }",
  { stream: { events: 'documented' } },
  (entrance) => {
    const stream = streaming(entrance)

    it('sends only specified events', async () => {
      const events = await stream({ model: `${model}:online` })
      expect(typesOf(events)).toEqual([
        'response.output_item.added',
        'response.output_item.added',
        'response.completed',
        '[DONE]',
      ])
      expect(events.at(-2).response.output[1].content[0].annotations).toHaveLength(5)
      expect(events.slice(0, -1).map(({ sequence_number }) => sequence_number)).toEqual([0, 1, 2])
    })

    it('ends with response.completed even if the response is incomplete', async () => {
      const events = await stream({ max_output_tokens: 5 })
      expect(events.at(-2)).toMatchObject({ type: 'response.completed', response: { status: 'incomplete' } })
    })
  },
)
