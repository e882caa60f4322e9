/**
 * A gateway in another process, as its sandboxes look from here: the same names and arguments, each a promise.
 *
 * @example
 * const gateway = await connectGateway('http://127.0.0.1:4141')
 * await using sandbox = await gateway.createSandbox()
 * await sandbox.use('provider-outage')
 */
import type { TextCheck } from './control/check-text.ts'
import { ControlClient, type FollowOptions, followEvents, type GatewayEvent } from './control/client.ts'
import {
  type BundledScenario,
  newSandbox,
  RemoteSandbox,
  type SandboxAddress,
} from './control/remote-sandbox.ts'
import { GatewayError } from './http/errors.ts'
import { promiseAtCaller } from './lib/at-caller.ts'
import { assertNames, type SandboxOptions, sandboxOptionNames } from './sandbox/sandbox-options.ts'
import type { ScenarioInput } from './scenarios/scenario.ts'

export { RemoteSandbox }

export interface ConnectOptions {
  /** Where the server wants one: what it was started with, or printed. */
  token?: string
}

/**
 * Connects to a running server. Throws where there is none, or where it wants another token.
 *
 * @param url `http://127.0.0.1:4141`; a base URL ending in `/api/v1` does as well.
 */
export function connectGateway(url: string | URL, options: ConnectOptions = {}): Promise<RemoteGateway> {
  return promiseAtCaller(connectGateway, () => connect(url, options))
}

async function connect(url: string | URL, { token }: ConnectOptions): Promise<RemoteGateway> {
  const address = URL.parse(String(url))
  if (!address || !/^https?:$/.test(address.protocol))
    throw new TypeError(
      `connectGateway takes the address of a running server, as http://127.0.0.1:4141, not ${url === undefined ? 'undefined' : `'${url}'`}`,
    )
  const client = new ControlClient(address.origin, token)
  try {
    const found: SandboxAddress = await client.data('getSandbox', { sandbox: 'default' })
    return new RemoteGateway(client, found)
  } catch (error) {
    const isOther =
      error instanceof SyntaxError ||
      error instanceof TypeError ||
      (error instanceof GatewayError && error.status === 404)
    if (!isOther) throw error
    const message = `What answers at ${address.origin} is no Understudy server: is it the address that it printed?`
    throw new Error(message, { cause: error })
  }
}

/** The default sandbox, and whatever others are made. */
export class RemoteGateway extends RemoteSandbox {
  /** An isolated sandbox: its own data, rules, journal and clock, and a key of its own. */
  async createSandbox(options: SandboxOptions = {}): Promise<RemoteSandbox> {
    assertNames(options, sandboxOptionNames, 'createSandbox')
    return newSandbox(this.client, options)
  }

  /** Where each living sandbox is reached, the default one first. */
  sandboxes(): Promise<SandboxAddress[]> {
    return this.client.data('listSandboxes', {})
  }

  /** A sandbox that goes on where one that was saved has been: `save()` gives the file. */
  async openSandbox(file: object): Promise<RemoteSandbox> {
    const made: SandboxAddress = await this.client.data('openSandbox', {}, { body: file })
    return new RemoteSandbox(this.client.clone(), made)
  }

  /** The scenarios that come with the server, and what a client sees of each. */
  bundledScenarios(): Promise<BundledScenario[]> {
    return this.client.data('listBundledScenarios', {})
  }

  /** A scenario that comes with the server. Throws 404 where there is none of that name. */
  bundledScenario(name: string): Promise<ScenarioInput> {
    return this.client.data('getBundledScenario', { name })
  }

  /** The same as YAML, to begin a file of your own with. */
  bundledScenarioText(name: string): Promise<string> {
    return this.client.text('getBundledScenarioText', { name })
  }

  /** Checks a scenario that is written in YAML or JSON: every problem with its line and column. */
  checkScenario(text: string): Promise<TextCheck> {
    return this.client.data('checkScenario', {}, { body: { text } })
  }

  /** Follows the calls of all sandboxes while they happen: reads until the loop is left, or the server ends. */
  events(options: FollowOptions = {}): AsyncGenerator<GatewayEvent, void> {
    return followEvents(this.client, options)
  }

  /** Takes no new sandboxes from now on; those that live stay. */
  drain(): Promise<void> {
    return this.client.data('drain', {})
  }

  /** Whether the server is up. */
  async health(): Promise<'ok'> {
    const { status }: { status: 'ok' } = await this.client.data('getHealth', {})
    return status
  }

  /** Whether the server takes new sandboxes. Throws 503 while it drains. */
  async readiness(): Promise<'ready'> {
    const { status }: { status: 'ready' } = await this.client.data('getReadiness', {})
    return status
  }

  /** Figures of the server, in the text format of Prometheus. */
  metrics(): Promise<string> {
    return this.client.text('getMetrics', {})
  }

  /** The OpenAPI document of the control API. */
  controlDocument(): Promise<object> {
    return this.client.whole('getControlDocument', {})
  }
}
