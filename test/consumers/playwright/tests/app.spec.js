import { expect, test } from 'gateway-understudy/playwright'

test.beforeEach(async ({ page, sandbox }) => {
  await page.setExtraHTTPHeaders({ 'x-gateway-url': sandbox.baseUrl })
  await page.goto('/')
})

test('shows the text as it arrives', async ({ page, sandbox }) => {
  const text = 'Tides follow the moon, and the sun a little, and the shape of the shore.'
  await sandbox.reply(text)
  const lengths = await page.evaluate(async () => {
    const answer = document.querySelector('[role=status]')
    const seen = []
    const observer = new MutationObserver(() => {
      seen.push(answer.textContent.length)
    })
    observer.observe(answer, { childList: true, characterData: true, subtree: true })
    document.querySelector('form button').click()
    while (!answer.textContent.endsWith('shore.')) await new Promise((resolve) => setTimeout(resolve, 10))
    await new Promise((resolve) => setTimeout(resolve, 50))
    return seen.filter((length) => length > 0)
  })
  await expect(page.getByRole('status')).toHaveText(text)
  expect(new Set(lengths).size).toBeGreaterThanOrEqual(8)
  expect(lengths).toEqual(lengths.toSorted((left, right) => left - right))
})

test('shows the text so far while the stream is held', async ({ page, sandbox }) => {
  await sandbox.reply('Tides follow the moon.')
  const gate = await sandbox.hold('text', { at: 'event', after: 2 })
  await page.getByRole('button', { name: 'Ask' }).click()
  await gate.arrived(1, { timeout: '10s' })
  await expect(page.getByRole('status')).toHaveText(/^Tides follow\s?$/)
  await gate.release()
  await expect(page.getByRole('status')).toHaveText('Tides follow the moon.')
})

test("shows an error's message in the banner", async ({ page, sandbox }) => {
  await sandbox.use('status-402')
  // The matcher waits for the call.
  const received = expect(sandbox).toHaveReceived('createResponse')
  await page.getByRole('button', { name: 'Ask' }).click()
  await received
  await expect(page.getByRole('alert')).toContainText('Insufficient credits')
})

test('lists sources under the answer', async ({ page, sandbox }, testInfo) => {
  await sandbox.reply('Tides follow the moon.', {
    citations: [
      { url: 'https://oceans.example/tides', title: 'Why tides come and go' },
      { url: 'https://sky.example/moon', title: 'The pull of the moon' },
    ],
  })
  await page.getByRole('button', { name: 'Ask' }).click()
  const sources = page.getByRole('list', { name: 'Sources' }).getByRole('link')
  await expect(sources).toHaveText(['Why tides come and go', 'The pull of the moon'])
  await expect(sources.first()).toHaveAttribute('href', 'https://oceans.example/tides')
  await page.screenshot({ path: 'answer.png' })
  await testInfo.attach('answer', { path: 'answer.png', contentType: 'image/png' })
})

for (const name of ['first', 'second']) {
  test(`isolates two concurrent tests (${name})`, async ({ page, sandbox }) => {
    expect(sandbox.name).toBe(`isolates two concurrent tests (${name})`)
    await sandbox.reply(`This is for the ${name} test.`)
    for (let round = 1; round <= 3; round++) {
      await page.getByRole('button', { name: 'Ask' }).click()
      await expect(page.getByRole('status')).toHaveText(`This is for the ${name} test.`)
    }
    expect(await sandbox.journal.calls('createResponse')).toHaveLength(3)
    expect(await sandbox.journal.entries()).toHaveLength(3)
  })
}
