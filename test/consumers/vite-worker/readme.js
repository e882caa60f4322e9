import { createGateway } from 'gateway-understudy'
import { setupWorker } from 'msw/browser'

export const gateway = createGateway({ latency: { gapMs: 20 } })

export const started = setupWorker(...gateway.handlers).start({ quiet: true })
