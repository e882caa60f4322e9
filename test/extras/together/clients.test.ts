/** Tests published clients through gateway.fetch; `clients.slow.test.ts` connects them to a running server. */
import { describeClients } from './published-clients.ts'

describeClients('through gateway.fetch')
