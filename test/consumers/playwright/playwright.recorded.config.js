import config from './playwright.config.js'

/** Each worker's gateway replays the recordings in the repository. */
export default {
  ...config,
  testMatch: ['recorded.spec.js'],
  use: { ...config.use, gatewayOptions: { recordings: 'recordings' } },
}
