import chromium from '@sparticuz/chromium'

export const application = 'http://127.0.0.1:4300'

/** With `--single-process`, this Chromium exits when its first page closes. */
const args = chromium.args.filter((arg) => arg !== '--single-process')

/** Each worker has its own gateway. A header in each request tells the application which gateway to use. */
export default {
  testDir: 'tests',
  testMatch: ['app.spec.js', 'readme.spec.js'],
  fullyParallel: true,
  workers: 2,
  reporter: [['json', { outputFile: 'report.json' }]],
  use: {
    baseURL: application,
    launchOptions: { executablePath: await chromium.executablePath(), args },
    gatewayOptions: { latency: { perToken: 50 } },
  },
  webServer: { command: 'npm start', url: application, env: { TEST: '1', PORT: '4300' } },
}
