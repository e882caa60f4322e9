import config from './playwright.config.js'

const application = 'http://127.0.0.1:4301'
const understudy = 'http://127.0.0.1:4142'
// Workers read this file too. The `gateway` fixture connects to this server.
process.env.UNDERSTUDY_URL = understudy

/** One gateway for all workers, started before the application. */
export default {
  ...config,
  testMatch: ['key.spec.js', 'common.spec.cjs'],
  // Options are flags of the server below, so the tests cannot set any.
  use: { ...config.use, baseURL: application, gatewayOptions: {} },
  webServer: [
    { command: 'npx gateway-understudy --port 4142', url: `${understudy}/__understudy/health` },
    {
      command: 'npm start',
      url: application,
      env: { TEST: '1', PORT: '4301', GATEWAY_URL: `${understudy}/api/v1` },
    },
  ],
}
