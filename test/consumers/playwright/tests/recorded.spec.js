import { expect, test } from 'gateway-understudy/playwright'
import { outcomes, text } from '../recorded.js'

for (const [name, outcome] of Object.entries(outcomes)) {
  test(`replays a recording with the fault ${name}`, async ({ page, sandbox }) => {
    await page.setExtraHTTPHeaders({ 'x-gateway-url': sandbox.baseUrl })
    await page.goto('/')
    if (name === 'slow-stream') await sandbox.use({ on: 'createResponse', fault: { name, perToken: 20 } })
    else if (name !== 'none') await sandbox.use(name)
    await page.getByRole('button', { name: 'Ask' }).click()
    if (outcome.startsWith('response.completed')) await expect(page.getByRole('status')).toHaveText(text)
    else await expect(page.getByRole('alert')).toContainText('The answer was cut off.')
    await expect(sandbox).toHaveUsedAllRules()
    const { rules } = await sandbox.journal.last('createResponse')
    expect(rules[0].scenario).toMatch(/\.recording\.jsonl$/)
  })
}
