import { createGateway } from 'gateway-understudy'
import { setupWorker } from 'msw/browser'

export const gateway = createGateway({ tokensPerSecond: 50 })

export const started = setupWorker(...gateway.handlers).start({ quiet: true })
