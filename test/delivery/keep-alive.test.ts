import { describe, expect, it, vi } from 'vitest'
import { toFetch } from '../../src/delivery/fetch.ts'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'
import { open } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

const body = { model: 'aurora/dawn-2', input: 'Hello', stream: true, max_output_tokens: 3 }

async function textOf(options: GatewayOptions, fault?: object, request: object = body): Promise<string> {
  const gateway = createGateway({ timeScale: 0, ...options })
  if (fault) gateway.use({ on: 'text', fault: fault as never })
  const text = await (await open(gateway, 'POST /responses', { body: request })).text()
  return text
}

const commentsIn = (text: string) => text.match(/^: keep-alive\n\n/gm)?.length ?? 0

describe('stream.keepAlive', () => {
  it.each<[GatewayOptions, object | undefined, number]>([
    [{ stream: { keepAlive: 10 } }, undefined, 0],
    [{ latency: 50 }, undefined, 0],
    // A pause of 50 ms has comments after 10, 20, 30 and 40 ms.
    [{ stream: { keepAlive: 10 }, latency: 50 }, undefined, 4],
    [{ stream: { keepAlive: '50ms' }, latency: 50 }, undefined, 0],
    [{ stream: { keepAlive: 10 }, latency: { perToken: 30 } }, undefined, 6],
    [
      { stream: { keepAlive: 10, events: 'documented' } },
      { name: 'slow-stream', firstToken: 20, perToken: 20 },
      2,
    ],
  ])('with %j and fault %j sends the right number of comments', async (options, fault, count) => {
    expect(commentsIn(await textOf(options, fault))).toBe(count)
  })

  it.each<[object]>([
    // Pieces of 7 bytes, with pauses in the middle of events.
    [{ name: 'slow-body', chunks: 10_000, ms: 1_000_000 }],
    [{ name: 'stream-split', bytes: 7 }],
    [{ name: 'gzip-body' }],
    [{ name: 'stream-cut', afterBytes: 300 }],
  ])('never splits an event, with %j', async (fault) => {
    const text = await textOf({ stream: { keepAlive: 10 }, latency: 50 }, fault)
    expect(text.replaceAll(': keep-alive\n\n', '')).toBe(await textOf({ latency: 50 }, fault))
  })

  it('leaves replies without a stream alone', async () => {
    const options = { stream: { keepAlive: 10 }, latency: 50 }
    expect(JSON.parse(await textOf(options, undefined, { ...body, stream: false }))).toHaveProperty('output')
  })

  it.each(['fetch', 'server'])('sends comments while a stream stalls, with %s', async (kind) => {
    await using server = await startServer({ stream: { keepAlive: 5 } })
    const { gateway } = server
    gateway.use({ on: 'text', fault: { name: 'stream-stall', afterDeltas: 1 } })
    const connection = kind === 'server' ? { baseUrl: server.baseUrl } : { fetch: toFetch(gateway) }
    const response = await open(connection, 'POST /responses', { body })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (commentsIn(text) < 3) text += (await reader?.read())?.value
    expect(text).toMatch(/delta.*\n\n(: keep-alive\n\n)+$/)
    gateway.reset()
    await expect(async () => {
      while (!(await reader?.read())?.done);
    }).rejects.toThrow()
  })

  it('sends no comments while a stream stalls if delays are instant', async () => {
    const gateway = createGateway({ timeScale: 0, stream: { keepAlive: 1 } })
    gateway.use({ on: 'text', fault: { name: 'stream-stall', afterDeltas: 1 } })
    const signal = AbortSignal.timeout(50)
    const reply = open(gateway, 'POST /responses', { body, signal }).then((response) => response.text())
    await expect(reply).rejects.toThrow()
    await vi.waitUntil(() => gateway.journal.last('createResponse')?.delivery === 'aborted-by-client')
    expect(gateway.journal.last('createResponse')?.responseBody.text).not.toContain('keep-alive')
  })

  it.runIf(hasExtra('openrouter'))("sends the dialect's comment", async () => {
    const text = await textOf({ dialect: 'openrouter', stream: { keepAlive: 10 }, latency: 50 } as object)
    expect(text.match(/^: OPENROUTER PROCESSING$/gm)?.length).toBe(5)
  })
})
