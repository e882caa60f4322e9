/**
 * The double as what is compared: its document, and the model of its streams, which it is asked for.
 */
import { toFetch } from '../adapters/fetch.ts'
import { GatewayCore } from '../gateway/gateway.ts'
import type { ScenarioInput } from '../rules/scenario-input.ts'
import { eventsIn } from '../tapes/tape-events.ts'
import { type DescribedOperation, readDocument } from './document.ts'
import type { Shape } from './shape.ts'
import { modelOf, type StreamModel } from './stream-model.ts'

export interface Double {
  readonly operations: ReadonlyMap<string, DescribedOperation>
  readonly streams: StreamModel
}

const items = {
  text: { type: 'message', content: 'Tides follow the moon.' },
  empty: { type: 'message', content: '' },
  call: { type: 'function_call', name: 'look_up', arguments: { q: 'tides' } },
  bare: { type: 'function_call', name: 'look_up', arguments: '' },
  search: { type: 'web_search_call', action: { query: 'tides' } },
} as const

/** @param document The double's OpenAPI document. */
export async function describeDouble(document: unknown): Promise<Double> {
  const operations = readDocument(document)
  const reply = operations.get('POST /responses')?.replies.get('200')?.get('application/json')
  const model = modelOf(await playedStreams())
  return { operations, streams: reply ? { ...model, events: withSchemas(model.events, reply) } : model }
}

/** Streams of every kind: texts, citations, functions, searches, one after the other, cut off, failed. */
async function playedStreams() {
  const gateway = new GatewayCore({ timeScale: 0 })
  const fetch = toFetch(gateway)
  const ask = async (body: object, scenario?: ScenarioInput['rules'][number]) => {
    using _ = scenario && gateway.use(scenario)
    const response = await fetch('https://gateway.example/api/v1/responses', {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'aurora/dawn-2', input: 'How do tides work?', stream: true, ...body }),
    })
    return eventsIn(await response.text())
  }
  const tool = {
    type: 'function',
    name: 'look_up',
    parameters: { type: 'object', properties: { q: { type: 'string' } } },
  }
  const streams = [
    await ask({}),
    await ask({ max_output_tokens: 1 }),
    await ask({ plugins: [{ id: 'web' }] }),
    await ask({ plugins: [{ id: 'web', max_results: 1 }], max_output_tokens: 16 }),
    await ask({ tools: [{ type: 'gateway:web_search' }] }),
    await ask({ tools: [tool], tool_choice: 'required' }),
    await ask({ tools: [tool], tool_choice: 'required', max_output_tokens: 1 }),
    await ask({ text: { format: { type: 'json_object' } } }),
  ]
  for (const first of Object.values(items))
    for (const second of [undefined, ...Object.values(items)])
      streams.push(
        await ask({}, { on: 'createResponse', reply: { output: second ? [first, second] : [first] } }),
      )
  return streams
}

/** Where an event carries a part of the response, the document says more than samples do. */
function withSchemas(events: ReadonlyMap<string, Shape>, response: Shape): Map<string, Shape> {
  const item = fieldOf(response, 'output')?.items
  const part = item && fieldOf(item, 'content', 'message')?.items
  const annotation = part && fieldOf(part, 'annotations', 'output_text')?.items
  const known = { response, item, part, annotation }
  const told = [...events].map(([type, shape]): [string, Shape] => {
    const objects = [...shape.objects].map(([tag, object]) => {
      const fields = [...object.fields].map(([name, field]) => {
        const schema = known[name as keyof typeof known]
        return [name, schema ? { ...field, shape: schema } : field] as const
      })
      return [tag, { ...object, fields: new Map(fields) }] as const
    })
    return [type, { ...shape, objects: new Map(objects) }]
  })
  return new Map(told.map(([type, shape]) => [type, openValues(shape)]))
}

/** Texts that samples have are examples; only the type of an event is one of few. */
function openValues(shape: Shape): Shape {
  const objects = [...shape.objects].map(([tag, object]) => {
    const fields = [...object.fields].map(([name, field]) =>
      name === 'type' || ['response', 'item', 'part', 'annotation'].includes(name)
        ? ([name, field] as const)
        : ([name, { ...field, shape: { ...field.shape, values: undefined } }] as const),
    )
    return [tag, { ...object, fields: new Map(fields) }] as const
  })
  return { ...shape, objects: new Map(objects) }
}

function fieldOf({ objects }: Shape, name: string, tag?: string): Shape | undefined {
  const object = (tag !== undefined && objects.get(tag)) || [...objects.values()][0]
  return object?.fields.get(name)?.shape
}
