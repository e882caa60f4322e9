import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'
import { readServerOptions, toListenError } from '../../src/server/server-options.ts'

const gateway = createGateway()
const read = (options: object) => readServerOptions(options, ['seed', 'timeScale'])

it.each([
  {},
  { port: 0 },
  { port: 65_535, host: 'h', allowedHosts: ['a'], allowedOrigins: [] },
  { token: 't', advertise: 'https://a.example', console: false },
  { requestTimeoutMs: 1, onRequest: () => {} },
  { gateway, port: 1 },
])('startServer accepts %j', (options) => {
  expect(read(options)).toEqual({ server: options, gateway: {} })
})

it('startServer separates the options of the server from those of the gateway', () => {
  expect(read({ port: 1, seed: 2, timeScale: 0, console: true })).toEqual({
    server: { port: 1, console: true },
    gateway: { seed: 2, timeScale: 0 },
  })
})

it.each([
  [{ port: -1 }, 'options.port: Too small: expected number to be >=0'],
  [{ port: 65_536 }, 'options.port: Too big: expected number to be <=65535'],
  [{ port: 1.5 }, 'options.port: Invalid input: expected int, received number'],
  [{ host: '' }, 'options.host: Too small: expected string to have >=1 characters'],
  [{ allowedHosts: [''] }, 'options.allowedHosts[0]: Too small: expected string to have >=1 characters'],
  [{ allowedOrigins: 'a' }, 'options.allowedOrigins: Invalid input: expected array, received string'],
  [{ token: 'a b' }, 'options.token: A token has no spaces and at least one character'],
  [{ token: '' }, 'options.token: A token has no spaces and at least one character'],
  [{ advertise: 'ftp://a.example' }, 'options.advertise: Invalid URL'],
  [{ console: 1 }, 'options.console: Invalid input: expected boolean, received number'],
  [{ gateway: {} }, 'options.gateway: Must be a gateway, from createGateway()'],
  [
    { requestTimeoutMs: 0 },
    "options.requestTimeoutMs: must be at least 1 millisecond, or a duration such as '500ms', '10s' or '1m'",
  ],
  [{ onRequest: 'log' }, 'options.onRequest: Must be a function'],
  [{ prot: 1 }, "options.prot: Unknown field: did you mean 'port'?"],
  [{ sed: 1 }, "options.sed: Unknown field: did you mean 'seed'?"],
  [{ gateway, seed: 1 }, 'options.seed cannot be combined with options.gateway: pass it to createGateway()'],
])('startServer(%j) rejects with one line', async (options, message) => {
  await expect(startServer(options as never)).rejects.toThrow(`startServer: ${message}`)
})

it.each([
  ['EADDRINUSE', 'Port 80 is in use: choose another port, or 0 for any free port'],
  ['EACCES', 'No permission to listen on port 80: choose one above 1023'],
  ['EADDRNOTAVAIL', "This machine has no address 'h': choose another host"],
  ['ENOTFOUND', "This machine has no address 'h': choose another host"],
])('startServer explains %s with a fix', (code, message) => {
  const error = Object.assign(new Error('x'), { code })
  expect(toListenError(error, 80, 'h')).toMatchObject({ message, code, cause: error })
})

it('startServer throws any other error unchanged', () => {
  const error = Object.assign(new Error('x'), { code: 'EOTHER' })
  expect(toListenError(error, 80, 'h')).toBe(error)
  const bare = new Error('x')
  expect(toListenError(bare, 80, 'h')).toBe(bare)
})
