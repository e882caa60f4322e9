/**
 * The journal of a sandbox in another process.
 */
import type { Bodies } from '../operations/request-bodies.ts'
import type { RemoteJournal } from '../sandbox/remote.ts'
import type { ControlClient } from './client.ts'

/** @param sandbox Its id. */
export function remoteJournal(client: ControlClient, sandbox: string): RemoteJournal<Bodies> {
  const here = { sandbox }
  return {
    entries: () => client.data('listJournal', here),
    entry: (id) => client.data('getCall', { sandbox, entry: id }),
    summaries: (last) => client.data('listCalls', here, { query: { last } }),
    async exportAs(entry, as) {
      const given = { sandbox, entry: idOf(entry) }
      const { text }: { text: string } = await client.data('exportCall', given, { query: { as } })
      return text
    },
    resend: (entry) => client.data('resendCall', { sandbox, entry: idOf(entry) }),
    async dropped() {
      const { meta }: { meta: { dropped: number } } = await client.whole('listJournal', here)
      return meta.dropped
    },
    calls: (operation, match) => client.data('queryJournal', here, { body: { operation, match } }),
    async last(operation) {
      const [newest]: never[] = await client.data('queryJournal', here, { body: { operation, last: 1 } })
      return newest
    },
    trace: (trace) => client.data('listTrace', { sandbox, trace }),
    unmatched: () => client.data('listUnmatched', here),
    nearMisses: () => client.data('listNearMisses', here),
    explain: (entry) => client.data('explainCall', { sandbox, entry: idOf(entry) }),
    waitFor: (operation, options) => client.data('waitForCalls', here, { body: { operation, ...options } }),
    har: () => client.whole('exportJournal', here),
    clear: () => client.data('clearJournal', here),
  }
}

function idOf(entry: string | { readonly id: string }): string {
  return typeof entry === 'string' ? entry : String(entry?.id)
}
