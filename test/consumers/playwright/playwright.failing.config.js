import config from './playwright.config.js'

export default { ...config, testMatch: 'failing.spec.js', webServer: undefined }
