import { expect, test } from 'gateway-understudy/playwright'

for (const name of ['first', 'second']) {
  test(`isolates tests of one gateway by key (${name})`, async ({ page, sandbox }) => {
    await page.setExtraHTTPHeaders({ 'x-gateway-key': sandbox.apiKey })
    await sandbox.reply(`This is for the ${name} test.`)
    await page.goto('/')
    await page.getByRole('button', { name: 'Ask' }).click()
    await expect(page.getByRole('status')).toHaveText(`This is for the ${name} test.`)
    expect(await sandbox.journal.entries()).toHaveLength(1)
  })
}
