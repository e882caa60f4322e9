import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { readOptions } from '../../src/sandbox/option.ts'
import { startServer } from '../../src/serve.ts'
import { serverOptions, toListenError } from '../../src/server/server-options.ts'

const gateway = createGateway()

it.each([
  {},
  { port: 0 },
  { port: 65_535, host: 'h', allowedHosts: ['a'], allowedOrigins: [] },
  { token: 't', tlsCert: 'cert.pem', tlsKey: 'key.pem', console: false },
  {
    host: '::1',
    allowedHosts: ['fe80::1%eth0', 'a.test'],
    allowedOrigins: ['*', 'null', 'https://App.example/'],
  },
  { requestTimeoutMs: 1, onRequest: () => {} },
  { gateway, port: 1 },
])('startServer accepts $0', (options) => {
  expect(readOptions(serverOptions, options, 'startServer')).toMatchObject(options)
})

it.each([
  [{ port: -1 }, 'options.port must be 0 to 65535, got -1'],
  [{ port: 65_536 }, 'options.port must be 0 to 65535, got 65536'],
  [{ port: 1.5 }, 'options.port must be 0 to 65535, got 1.5'],
  [{ host: '' }, 'options.host must not be empty'],
  [{ allowedHosts: [''] }, 'options.allowedHosts[0] must not be empty'],
  [{ allowedOrigins: 'a' }, "options.allowedOrigins must be a list, got 'a'"],
  [{ token: 'a b' }, 'options.token must be visible ASCII characters without spaces'],
  [{ token: '' }, 'options.token must not be empty'],
  [{ tlsCert: '' }, 'options.tlsCert must not be empty'],
  [
    { tlsCert: 'package.json' },
    'HTTPS needs a certificate and its key: set options.tlsCert and options.tlsKey',
  ],
  [{ tlsCert: '/dev/zero', tlsKey: 'none.pem' }, 'options.tlsCert, options.tlsKey: /dev/zero: is not a file'],
  [{ tlsCert: 'none.pem', tlsKey: 'none.pem' }, 'options.tlsCert, options.tlsKey: none.pem: no such file'],
  [{ tlsCert: 'package.json', tlsKey: 'package.json' }, 'options.tlsCert, options.tlsKey: error:'],
  [{ console: 1 }, 'options.console must be true or false, got 1'],
  [{ gateway: {} }, 'options.gateway must be a gateway, from createGateway()'],
  [{ requestTimeoutMs: 0 }, 'options.requestTimeoutMs must be at least 1 millisecond, or a duration'],
  [{ onRequest: 'log' }, 'options.onRequest must be a function'],
  [{ prot: 1 }, "unknown option 'prot'; did you mean 'port'?"],
  [{ sed: 1 }, "unknown option 'sed'; did you mean 'seed'?"],
  [{ gateway, seed: 1 }, 'options.seed cannot be combined with options.gateway: pass it to createGateway()'],
])('startServer($0) rejects with one line', async (options, message) => {
  await expect(startServer(options as never)).rejects.toThrow(`startServer: ${message}`)
})

it.each([
  ['EADDRINUSE', 'Port 80 is in use: choose another port, or 0 for any free port'],
  ['EACCES', 'No permission to listen on port 80: choose one above 1023'],
  ['EADDRNOTAVAIL', "This machine has no address 'h': choose another host"],
  ['ENOTFOUND', "This machine has no address 'h': choose another host"],
])('startServer explains %s and suggests a fix', (code, message) => {
  const error = Object.assign(new Error('x'), { code })
  expect(toListenError(error, 80, 'h')).toMatchObject({ message, code, cause: error })
})
