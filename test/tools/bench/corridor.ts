/**
 * Calls straight into the corridor, without an adapter: what grows there is not hidden behind what adapters cost.
 */

import { discard } from '../../../src/gateway/call.ts'
import { GatewayCore } from '../../../src/gateway/gateway.ts'
import { handle } from '../../../src/gateway/handle.ts'
import type { GatewayOptions } from '../../../src/index.ts'

export interface CorridorCall {
  method: string
  path: string
  body?: unknown
}

export class Corridor {
  readonly gateway: GatewayCore
  #count = 0

  constructor(options: GatewayOptions = {}) {
    this.gateway = new GatewayCore(options)
  }

  /** @param key Default: one that means the default sandbox. */
  async call({ method, path, body }: CorridorCall, key = 'bench'): Promise<void> {
    // No two bodies are the same, so that nothing is answered from memory.
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
