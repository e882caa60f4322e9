/**
 * HTTPS with a certificate generated at startup.
 */
import type { RequestListener } from 'node:http'
import * as z from 'zod'
import type { ExtraDefinition } from '../../gateway/extra.ts'

export interface TlsOptions {
  /**
   * If true, `startServer` serves HTTPS with a certificate generated at startup. A path names the folder in which the
   * certificate and `ca.pem`, which clients must trust, are stored. Your own `cert.pem` and `key.pem` in the folder
   * are used instead. Default: false.
   */
  tls?: boolean | string
}

export const tls: ExtraDefinition<TlsOptions> = {
  name: 'tls',
  options: { tls: () => z.union([z.boolean(), z.string().min(1)]) },
  paths: ['tls'],
  flags: [
    {
      flags: '--tls [folder]',
      description:
        'serve HTTPS with a certificate generated at startup and stored in the folder; clients trust its ca.pem',
      group: 'Behaviour',
    },
  ],
  create({ tls: folder }) {
    if (!folder) return undefined
    return {
      async secureServer(settings, listener, names) {
        const { secureServer } = await import('./secure-server.ts')
        // The cast is needed because the core cannot name Node's types.
        return secureServer(settings, listener as RequestListener, {
          folder: folder === true ? undefined : folder,
          names,
        })
      },
    }
  },
}
