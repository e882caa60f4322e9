/**
 * The collections of a sandbox in another process. The server knows which there are: the list of them would bring all
 * their schemas along.
 */
import type { RemoteDatabase, RemoteRecords } from '../database/database.ts'
import { GatewayError } from '../http/errors.ts'
import type { Promised } from '../sandbox/remote.ts'
import type { ControlClient } from './client.ts'
import type { Unawaited } from './unawaited.ts'

/** @param sandbox Its id. */
export function remoteDatabase(
  client: ControlClient,
  sandbox: string,
  unawaited: Unawaited,
): Promised<RemoteDatabase> {
  return new Proxy({} as Promised<RemoteDatabase>, {
    get: (_, name) =>
      typeof name === 'string' && name !== 'then'
        ? unawaited.notice(recordsOf(client, sandbox, name), `db.${name}.`)
        : undefined,
  })
}

function recordsOf(
  client: ControlClient,
  sandbox: string,
  collection: string,
): Promised<RemoteRecords<object>> {
  const here = { sandbox, collection }
  return {
    create: (record) => client.data('createRecord', here, { body: record }),
    async get(key) {
      try {
        return await client.data('getRecord', { ...here, key })
      } catch (error) {
        if (error instanceof GatewayError && error.status === 404) return undefined
        throw error
      }
    },
    list: (condition = {}) =>
      client.data('listRecords', here, { query: { equals: JSON.stringify(condition) } }),
    update: (key, changes) => client.data('updateRecord', { ...here, key }, { body: changes }),
    delete: (key) => client.data('deleteRecord', { ...here, key }),
  }
}
