import { expect, test } from 'gateway-understudy/playwright'

test('an answer that breaks off shows the banner, and trying again helps', async ({ page, sandbox }) => {
  await sandbox.use({ on: 'createResponse', times: 1, fault: { name: 'stream-cut', atEvent: 8 } })
  // The application, in its test mode, asks the gateway that this header names.
  await page.setExtraHTTPHeaders({ 'x-gateway-url': sandbox.baseUrl })
  await page.goto('/')

  await page.getByRole('button', { name: 'Ask' }).click()
  await expect(page.getByRole('alert')).toContainText('The answer broke off.')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert')).toBeHidden()
  await expect.poll(async () => (await sandbox.journal.calls('createResponse')).length).toBe(2)
})
