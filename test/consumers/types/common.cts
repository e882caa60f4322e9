import { createGateway } from 'gateway-understudy'
import { handlers } from 'gateway-understudy/msw'
import { intercept } from 'gateway-understudy/node'
import { connectGateway } from 'gateway-understudy/remote'
import { startServer } from 'gateway-understudy/serve'

void [handlers(createGateway()).length, intercept(createGateway()).close, connectGateway, startServer]
