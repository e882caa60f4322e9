/** Tests that faults act on recorded streams as on generated ones. */
import { describe, expect, it } from 'vitest'
import { toChunk } from '../../../src/extras/recordings/recording.ts'
import { faults as all, requiredParameters } from '../../../src/faults/index.ts'
import { createGateway, type Fault, type Recording } from '../../../src/index.ts'
import { open } from '../../call.ts'
import { recordingOf, requestOf } from '../recordings/samples.ts'

const model = 'aurora/dawn-2'
const messages = [{ role: 'user', content: 'Why is the sky blue? 🌊' }]
const requests: Record<string, object> = {
  '/responses': { model, input: 'Why is the sky blue? 🌊', stream: true },
  '/chat/completions': { model, messages, stream: true },
  '/completions': { model, prompt: 'Why is the sky blue?', stream: true },
  '/messages': { model, messages, max_tokens: 900, stream: true },
}
const options = { seed: 'recorded', timeScale: 0 } as const

interface Received {
  text: string
  isAborted: boolean
  warnings: string[]
  unused: number
}

/** Sends a request to a path, with a fault on its stream. */
async function receive(path: string, body: object, fault?: Fault, recording?: Recording): Promise<Received> {
  const gateway = createGateway({ ...options, ...(recording && { recordings: [recording] }) })
  if (fault) gateway.use({ on: '*', fault })
  const chunks: Uint8Array[] = []
  let isAborted = false
  try {
    const response = await open(gateway, `POST ${path}`, { body })
    for await (const chunk of response.body ?? []) chunks.push(chunk)
  } catch {
    isAborted = true
  }
  const warnings = gateway.journal.entries().flatMap((entry) => entry.warnings)
  const text = Buffer.concat(chunks).toString()
  return { text, isAborted, warnings, unused: gateway.unusedRules().length }
}

/** Returns a recording of a stream, in chunks of `size` bytes. */
function recordingFrom(text: string, path: string, body: object, size: number): Recording {
  const bytes = new TextEncoder().encode(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    toChunk(1, bytes.subarray(index * size, (index + 1) * size)),
  )
  const end = { end: 'fin', ms: 1, bytes: bytes.length }
  return recordingOf(chunks as never, { request: requestOf(body, { path }), type: 'text/event-stream', end })
}

const parameters: Record<string, object> = {
  field: { path: 'model' },
  'stream-huge-event': { bytes: 100 },
}
/** Faults that act neither on events nor on their bytes, or never end. */
const others = /stall|slow|bandwidth|idle|lost-reply|stream-(joined|split$)/
const faults = all
  .filter(({ name, layer }) => !['delay', 'replacement', 'form'].includes(layer) && !others.test(name))
  .filter(({ name }) => requiredParameters(name).length === 0 || parameters[name])
  .map(({ name }) => ({ name, ...parameters[name] }) as Fault & object)

describe.each(Object.entries(requests))('a recorded stream of %s', (path, body) => {
  it('changes with each fault as the generated stream does, however its bytes were split', async () => {
    const { text } = await receive(path, body)
    const sizes = [7, 1000, text.length]
    for (const [index, fault] of faults.entries()) {
      const generated = await receive(path, body, fault)
      const recording = recordingFrom(text, path, body, sizes[index % sizes.length] as number)
      const recorded = await receive(path, body, fault, recording)
      expect([fault, recorded]).toEqual([fault, generated])
    }
  })

  it('is cut at an event on a path without an operation, with any line ends', async () => {
    const { text } = await receive(path, body)
    const cut = await receive(path, body, 'stream-error-event')
    for (const lineEnd of ['\n', '\r\n', '\r'])
      for (const size of [1, 13]) {
        // The request need not ask for a stream.
        const asked = size === 1 ? body : { ...body, stream: false }
        const recording = recordingFrom(text.replaceAll('\n', lineEnd), '/elsewhere', asked, size)
        const { text: sent, unused } = await receive('/elsewhere', asked, 'stream-error-event', recording)
        expect([sent.replaceAll(lineEnd, '\n'), unused]).toEqual([cut.text, 0])
      }
  })
})
