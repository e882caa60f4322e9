/**
 * Published clients through gateway.fetch; `clients.slow.test.ts` has them on a socket.
 */
import { describeClients } from './published-clients.ts'

describeClients('through gateway.fetch')
