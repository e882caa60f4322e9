import { defineConfig } from '@playwright/test'
import 'gateway-understudy/playwright'

export default defineConfig({
  use: { gatewayOptions: { dialect: 'openrouter', limits: { sandboxIdle: '30m' } } },
})
