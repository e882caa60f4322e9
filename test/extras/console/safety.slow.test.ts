/** Tests that actions that lose data require confirmation, and that connection problems are reported. */
import type { Page } from '@playwright/test'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { open } from './browser.ts'
import { startServerAndBrowser } from './server-and-browser.ts'

const setup = startServerAndBrowser()
const at = (hash: string) => `${setup.server.url}/__understudy/${hash}`

describe('actions that lose data', () => {
  /** Presses a button, then a button in the dialog that it opens. */
  async function answer(page: Page, button: string, reply: string): Promise<void> {
    await page.getByRole('button', { name: button, exact: true }).last().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: reply, exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  it('delete a sandbox only after confirmation', async () => {
    const { sandboxes } = setup.server.gateway
    const { id } = await setup.server.gateway.createSandbox()
    const { page } = await open(setup.browser, at('#/sandboxes'))
    await answer(page, 'Delete', 'Cancel')
    expect(sandboxes.listLive().map((each) => each.id)).toContain(id)
    // A second Enter cancels, and the focus returns to the button.
    await page.getByRole('button', { name: 'Delete', exact: true }).last().focus()
    await page.keyboard.press('Enter')
    await page.getByText(`Delete sandbox '${id}'?`).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Delete')
    expect(sandboxes.listLive().map((each) => each.id)).toContain(id)
    await answer(page, 'Delete', 'Delete')
    await expect.poll(() => sandboxes.listLive().map((each) => each.id)).not.toContain(id)
    await page.close()
  })

  it('clear calls, delete rows and reset a sandbox only after confirmation', async () => {
    const { gateway } = setup.server
    await call(setup.server, 'GET /providers')
    const { page } = await open(setup.browser, at('#/sandboxes'))
    await page.getByRole('link', { name: 'Calls' }).first().click()
    await page.locator('.row').first().waitFor()
    await answer(page, 'Clear 1 call', 'Cancel')
    // Navigation cancels too.
    await page.getByRole('button', { name: 'Clear 1 call' }).click()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.goForward()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(gateway.journal.size).toBe(1)
    await page.goto(at('#/data?collection=workspaces'))
    const rows = await gateway.db.workspaces.list()
    // A click anywhere on the row opens it.
    await page.locator('tbody tr').last().click()
    await answer(page, 'Delete', 'Cancel')
    expect(await gateway.db.workspaces.list()).toEqual(rows)
    await gateway.db.workspaces.update('production', { name: 'Changed' })
    await answer(page, 'Reset sandbox', 'Cancel')
    expect(await gateway.db.workspaces.get('production')).toMatchObject({ name: 'Changed' })
    await answer(page, 'Reset sandbox', 'Reset sandbox')
    await expect.poll(async () => (await gateway.db.workspaces.get('production'))?.name).not.toBe('Changed')
    await page.close()
  })
})

describe('the connection', () => {
  it('distinguishes a missing token from a rejected one', async () => {
    await using server = await startServer({ token: 'secret' })
    const { page } = await open(setup.browser, `${server.url}/__understudy/`)
    await page.getByRole('heading', { name: 'Token required' }).waitFor()
    await page.getByLabel('Token').fill('guess')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByRole('heading', { name: 'Token rejected' }).waitFor()
    await page.getByLabel('Token').fill('secret')
    await page.getByRole('button', { name: 'Connect' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.close()
  })

  it('reports a lost server, a restarted server and a sandbox that no longer exists', async () => {
    const first = await startServer()
    const { page } = await open(setup.browser, `${first.url}/__understudy/`)
    await page.getByText('Live', { exact: true }).waitFor()
    await call(first, 'GET /providers')
    await page.locator('.row').first().waitFor()
    await first.close()
    await page.getByText(`No connection to ${first.url}`).waitFor()
    await using second = await startServer({ port: first.port })
    await page.getByText('The server was restarted.').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    const sandbox = await second.gateway.createSandbox()
    await page.goto(`${second.url}/__understudy/#/data?sandbox=${sandbox.id}`)
    await page.getByRole('link', { name: /^workspaces/ }).waitFor()
    await sandbox.dispose()
    await page.getByRole('link', { name: /^workspaces/ }).click()
    await page.getByText(`Sandbox '${sandbox.id}' no longer exists`).waitFor()
    await page.getByRole('link', { name: 'Show all sandboxes' }).click()
    await page.getByText('no longer exists').waitFor({ state: 'detached' })
    await page.close()
  })
})
