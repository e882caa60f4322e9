import { expect, test } from 'gateway-understudy/playwright'

test('shows a banner when the stream is cut, and recovers on retry', async ({ page, sandbox }) => {
  await sandbox.use({ on: 'createResponse', times: 1, fault: { name: 'stream-cut', afterEvents: 8 } })
  // In test mode, the application sends requests to the gateway named in this header.
  await page.setExtraHTTPHeaders({ 'x-gateway-url': sandbox.baseUrl })
  await page.goto('/')

  await page.getByRole('button', { name: 'Ask' }).click()
  await expect(page.getByRole('alert')).toContainText('The answer was cut off.')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert')).toBeHidden()
  await expect(sandbox).toHaveReceivedTimes('createResponse', 2)
  await expect(sandbox).toHaveUsedAllRules()
})
