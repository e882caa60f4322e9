/** Tests published clients against a running server. */
import { describeClients } from './published-clients.ts'

describeClients('over a socket')
