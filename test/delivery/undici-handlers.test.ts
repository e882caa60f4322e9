/** Tests the adapters between both versions of undici's handler interface, and the pieces of a faulty head. */
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { expect, it } from 'vitest'
import { Dispatched } from '../../src/delivery/intercept-dispatch.ts'
import {
  type CallbackHandler,
  type Controller,
  controlled,
  withCallbacks,
} from '../../src/delivery/intercept-undici.ts'
import { NodeSink } from '../../src/delivery/node.ts'

it('Dispatched contains the parts of a request that undici dispatches, with its default timeouts', () => {
  const headers = ['X-One', '1', 'x-two', '2', 'x-one', '3']
  expect(new Dispatched({ origin: 'https://a.example', path: '/b', method: 'post', headers })).toEqual({
    url: new URL('https://a.example/b'),
    method: 'POST',
    headers: { 'x-one': '1, 3', 'x-two': '2' },
    body: undefined,
    timeouts: { Headers: 300_000, Body: 300_000 },
  })
})

const raw = (...texts: string[]) => texts.map((text) => Buffer.from(text))

it('withCallbacks() passes callbacks to a handler with a controller, which pauses, resumes and aborts', () => {
  const log: unknown[] = []
  let controller: Controller | undefined
  const handler = withCallbacks({
    onRequestStart(passed, context) {
      controller = passed
      log.push(['start', context])
    },
    onRequestUpgrade: (_, status, headers, socket) => log.push(['upgrade', status, headers, socket]),
    onResponseStarted: () => log.push('started'),
    onResponseStart: (passed, status, headers, text) =>
      log.push([status, headers, text, passed.rawHeaders.map(String)]),
    onResponseData: (passed, chunk) => {
      log.push(String(chunk))
      if (String(chunk) === 'pause') passed.pause()
    },
    onResponseEnd: (_, trailers) => log.push(['end', trailers]),
    onResponseError: (_, error) => log.push(error),
  })
  handler.onConnect?.((reason) => log.push(['abort', reason]), 'context')
  handler.onUpgrade?.(101, raw('Upgrade', 'echo'), 'socket')
  handler.onResponseStarted?.()
  const headers = ['Set-Cookie', 'a', 'X-One', '1', 'set-cookie', 'b']
  expect(handler.onHeaders?.(200, raw(...headers), () => log.push('resume'), 'OK')).toBe(true)
  expect([handler.onData?.(Buffer.from('one')), handler.onData?.(Buffer.from('pause'))]).toEqual([
    true,
    false,
  ])
  controller?.resume()
  controller?.resume()
  handler.onComplete?.([])
  const reason = new Error('enough')
  controller?.abort(reason)
  controller?.abort(new Error('again'))
  handler.onError?.(reason)
  expect([controller?.aborted, controller?.paused, controller?.reason]).toEqual([true, false, reason])
  expect(log).toEqual([
    ['start', 'context'],
    ['upgrade', 101, { upgrade: 'echo' }, 'socket'],
    'started',
    [200, { 'set-cookie': ['a', 'b'], 'x-one': '1' }, 'OK', headers],
    'one',
    'pause',
    'resume',
    ['end', {}],
    ['abort', reason],
    reason,
  ])
})

it('withCallbacks() returns a handler with callbacks unchanged, and passes errors on before a connection', () => {
  const plain: CallbackHandler = { onData: () => true }
  expect(withCallbacks(plain)).toBe(plain)
  const errors: unknown[] = []
  withCallbacks({ onRequestStart() {}, onResponseError: (_, error) => errors.push(error) }).onError?.(
    new Error('refused'),
  )
  expect(errors).toEqual([new Error('refused')])
})

it('controlled() pauses the reply if a handler with callbacks returns false, and lets it resume', () => {
  const log: unknown[] = []
  const handler = controlled({
    onHeaders(status, _headers, resume, statusText) {
      log.push([status, statusText])
      resume()
      return status !== 201
    },
    onData: (chunk) => String(chunk) !== 'pause',
  })
  const controller = {
    rawHeaders: [],
    pause: () => log.push('pause'),
    resume: () => log.push('resume'),
  } as never
  handler.onResponseStart?.(controller, 200, {}, 'OK')
  handler.onResponseStart?.(controller, 201, {}, 'Created')
  handler.onResponseData?.(controller, Buffer.from('go on'))
  handler.onResponseData?.(controller, Buffer.from('pause'))
  expect(log).toEqual([[200, 'OK'], 'resume', [201, 'Created'], 'resume', 'pause', 'pause'])
})

/** Connects a sink to a socket that keeps what is written. */
function connect() {
  const writes: string[] = []
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      writes.push(String(chunk))
      done()
    },
  })
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.sendDate = false
  response.assignSocket(socket as Socket)
  return { writes, socket, sink: new NodeSink(response) }
}

const statusLine = 'HTTP/1.1 200 OK\r\n'
const two = '2'.repeat(363)
const fields = `x-one: 1\r\nx-two: ${two}\r\nConnection: close\r\n\r\n`
const reply = { status: 200, headers: { 'x-one': '1', 'x-two': two }, body: { kind: 'none' } } as const

it('a connection sends half of the fields of a head that is cut, and ends', () => {
  const { writes, socket, sink } = connect()
  sink.head({ ...reply, transport: { headIsCut: true } })
  expect(writes).toEqual([statusLine + fields.slice(0, fields.length >> 1)])
  expect(socket.writableEnded).toBe(true)
})

it('a connection sends its head before it closes', () => {
  const { writes, socket, sink } = connect()
  sink.head(reply)
  expect(writes).toEqual([])
  sink.end('close')
  expect(writes.join('')).toBe(statusLine + fields)
  expect(socket.writableEnded).toBe(true)
})

it('a connection sends a slow head in 20 pieces', async () => {
  const { writes, sink } = connect()
  const waits: number[] = []
  await sink.head({ ...reply, transport: { headMs: 1000 } }, async (ms) => void waits.push(ms))
  const whole = statusLine + fields
  expect(whole).toHaveLength(420)
  expect(writes).toEqual(whole.match(/.{21}/gs))
  expect(waits).toEqual(writes.map(() => 50))
})
