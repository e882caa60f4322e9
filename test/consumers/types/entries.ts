/** Imports every entry, to compile with all compilers and module resolutions. */
import { createGateway, type Gateway } from 'gateway-understudy'
import { handlers } from 'gateway-understudy/msw'
import { intercept, type MswHandler } from 'gateway-understudy/node'
import { expect, test } from 'gateway-understudy/playwright'
import { connectGateway } from 'gateway-understudy/remote'
import { startServer } from 'gateway-understudy/serve'
import { HttpResponse, http } from 'msw'

const gateway: Gateway = createGateway({ latency: '300ms' })
const own: MswHandler = http.get('https://a.example', () => HttpResponse.json({}))
intercept(gateway).use(
  own,
  http.get('https://b.example', () => HttpResponse.json({})),
)
handlers(gateway, 'createResponse', 'createChatCompletion')
startServer({ requestTimeoutMs: '1m' })
void [connectGateway, expect, test]
