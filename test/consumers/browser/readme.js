import { createGateway } from 'gateway-understudy'
import { handlers } from 'gateway-understudy/msw'
import { setupWorker } from 'msw/browser'

export const gateway = createGateway({ latency: { perToken: 20 } })

export const started = setupWorker(...handlers(gateway)).start({ quiet: true })
