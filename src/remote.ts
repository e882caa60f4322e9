/** Client for a gateway in another process, with an async version of the local API. */
import { ControlClient } from './control/client.ts'
import { newSandbox, RemoteSandbox as SandboxOf } from './control/remote-sandbox.ts'
import type { SandboxAddress } from './control/sandbox-operations.ts'
import { GatewayError } from './http/errors.ts'
import { inCall } from './lib/call-names.ts'
import { refuseGuesses } from './lib/guessed-names.ts'
import { assertNames, type SandboxOptions, sandboxOptionNames } from './sandbox/sandbox-options.ts'
import type { RequestBodies } from './setup.ts'

/** A sandbox in another process. */
export type RemoteSandbox = SandboxOf<RequestBodies>

export interface ConnectOptions {
  /** The server's token, which was passed to the server or printed at startup. Default: none. */
  token?: string
}

/** Connects to a server, by its URL or base URL. Throws if it is unreachable or rejects the token. */
export function connectGateway(url: string | URL, options: ConnectOptions = {}): Promise<RemoteGateway> {
  const connected = inCall('connectGateway', async () => {
    assertNames(options, ['token'], 'connectGateway')
    return connect(url, options)
  })
  return refuseGuesses(connected, 'connectGateway()', true)
}

async function connect(url: string | URL, { token }: ConnectOptions): Promise<RemoteGateway> {
  const address = URL.parse(String(url))
  if (!address || !/^https?:$/.test(address.protocol))
    throw new TypeError(
      `connectGateway() expects the URL of a running server, such as http://127.0.0.1:4141, got ${url === undefined ? 'undefined' : `'${url}'`}`,
    )
  const client = new ControlClient(address.origin, token)
  try {
    const defaultSandbox: SandboxAddress = await client.data('getSandbox', { sandbox: 'default' })
    return new RemoteGateway(client, defaultSandbox)
  } catch (error) {
    const status = error instanceof GatewayError ? error.status : undefined
    if (status === 401)
      throw new GatewayError(
        401,
        `${token === undefined ? 'The server requires a token' : "The token does not match the server's"}: pass connectGateway(url, { token }) with the token passed to the server or printed at startup`,
      )
    const isOther = error instanceof SyntaxError || error instanceof TypeError || status === 404
    if (!isOther) throw error
    const message = `No Understudy server at ${address.origin}: another server replied. Use the address printed at startup`
    throw new Error(message, { cause: error })
  }
}

/** The default sandbox of a remote gateway, with methods for other sandboxes and for the server. */
export class RemoteGateway extends SandboxOf<RequestBodies> {
  /** Creates an isolated sandbox with its own data, rules, journal, clock and API key. */
  createSandbox(options: SandboxOptions = {}): Promise<RemoteSandbox> {
    const created = inCall('createSandbox()', async () => {
      assertNames(options, sandboxOptionNames, 'createSandbox')
      return newSandbox(this.client, options)
    })
    return refuseGuesses(created, 'createSandbox()', true)
  }

  /** Returns the addresses of all live sandboxes, the default one first. */
  sandboxes(): Promise<SandboxAddress[]> {
    return this.client.data('listSandboxes', {})
  }
}
