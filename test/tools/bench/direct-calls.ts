/**
 * Calls the request handler directly, because the cost of an adapter would hide the handler's growth.
 */

import { discard } from '../../../src/gateway/call.ts'
import { GatewayCore } from '../../../src/gateway/gateway.ts'
import { handle } from '../../../src/gateway/handle.ts'
import type { GatewayOptions } from '../../../src/index.ts'

export interface DirectCall {
  method: string
  path: string
  body?: unknown
}

export class DirectCalls {
  readonly gateway: GatewayCore
  #count = 0

  constructor(options: GatewayOptions = {}) {
    this.gateway = new GatewayCore(options)
  }

  /** @param key API key. Default: a key for the default sandbox. */
  async call({ method, path, body }: DirectCall, key = 'bench'): Promise<void> {
    // Makes every body different, to avoid cache hits.
    const text =
      body === undefined ? '' : JSON.stringify({ ...body, metadata: { count: `${this.#count++}` } })
    const record = await handle(this.gateway, {
      method,
      path: `/api/v1${path}`,
      search: '',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      readBody: async () => new TextEncoder().encode(text),
      sink: discard,
    })
    if (record.status >= 300) throw new Error(`${method} ${path} answered ${record.status}`)
    record.settled('complete')
  }
}
