import chromium from '@sparticuz/chromium'

export const application = 'http://127.0.0.1:4300'

/** As it comes, this Chromium ends with its first page that is closed. */
const args = chromium.args.filter((arg) => arg !== '--single-process')

/** Each worker has a gateway of its own; the application is told which by a header of each request. */
export default {
  testDir: 'tests',
  testMatch: ['app.spec.js', 'readme.spec.js'],
  fullyParallel: true,
  workers: 2,
  reporter: [['json', { outputFile: 'report.json' }]],
  use: {
    baseURL: application,
    launchOptions: { executablePath: await chromium.executablePath(), args },
    gatewayOptions: { latency: { gapMs: 50 } },
  },
  webServer: { command: 'npm start', url: application, env: { TEST: '1', PORT: '4300' } },
}
