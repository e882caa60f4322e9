/** Tests the forms for rows and rules: problems at their fields, suggested names, and a dry run during edits. */
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { launch, open } from './browser.ts'
import { makeSampleCalls } from './sample-calls.ts'

let server: RunningServer
let browser: Browser
let page: Page
let complaints: string[]
beforeAll(async () => {
  browser = await launch()
})
beforeEach(async () => {
  server = await startServer({ latency: { perToken: 5 } })
  await makeSampleCalls(server)
  ;({ page, complaints } = await open(browser, `${server.url}/__understudy/`))
  await page.locator('.row').first().waitFor()
  return async () => {
    expect(complaints).toEqual([])
    await page.close()
    await server.close()
  }
})
afterAll(() => browser.close())

/** Returns the values that a field offers. */
const offered = (label: string) =>
  page
    .getByLabel(label, { exact: true })
    .evaluate((input) => [...((input as HTMLInputElement).list?.options ?? [])].map(({ value }) => value))

const group = (name: string) => page.getByRole('group', { name, exact: true })

async function addField(name: string, to: string): Promise<void> {
  await page.getByLabel(`Optional fields of ${to}`).selectOption(name)
  await page.getByRole('button', { name: `Add field to ${to}` }).click()
}

describe('the row form', () => {
  it('opens in three clicks from the list of calls, and saves on Enter', async () => {
    await page.getByRole('link', { name: 'Data' }).click()
    await page.getByRole('link', { name: /^workspaces/ }).click()
    await page.locator('tbody a').first().click()
    await page.getByLabel('description', { exact: true }).fill('Changed in a form')
    await page.getByLabel('name', { exact: true }).press('Enter')
    await page.getByText('1 changed').waitFor()
    expect(await server.gateway.db.workspaces.get('production')).toMatchObject({
      description: 'Changed in a form',
    })
  })

  it('opens in two clicks from a call that names the row', async () => {
    await page.getByText('/presets/code-review', { exact: true }).click()
    await page.getByRole('link', { name: 'Edit row code-review of presets' }).click()
    await expect.poll(() => page.getByLabel('slug', { exact: true }).inputValue()).toBe('code-review')
  })

  it('shows each problem at its field, and offers models and values of other rows', async () => {
    await page.goto(`${server.url}/__understudy/#/data?collection=workspaces`)
    await page.locator('tbody a').first().click()
    const field = (label: string) => page.locator('.field', { has: page.getByLabel(label, { exact: true }) })
    await page.getByLabel('slug', { exact: true }).fill('Not A Slug')
    await field('slug').getByText('Must be lowercase alphanumeric segments').waitFor()
    await page.getByLabel('io_logging_sampling_rate', { exact: true }).fill('often')
    await field('io_logging_sampling_rate').getByText('Must be a number').waitFor()
    expect(await page.getByLabel('slug', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByLabel('name', { exact: true }).getAttribute('aria-invalid')).toBe('false')
    await page.getByLabel('slug', { exact: true }).fill('live')
    await page.getByLabel('io_logging_sampling_rate', { exact: true }).fill('0.25')
    await expect.poll(() => page.locator('.field .bad').count()).toBe(0)
    expect(await offered('default_text_model')).toContain('aurora/dawn-2')
    expect(await offered('slug')).toContain('staging')

    // The JSON view edits the same draft.
    await page.getByRole('link', { name: 'JSON' }).click()
    const json = page.getByLabel('Row (JSON)')
    const draft = JSON.parse(await json.inputValue())
    expect(draft).toMatchObject({ slug: 'live', io_logging_sampling_rate: 0.25 })
    await json.fill(JSON.stringify({ ...draft, description: null, name: '' }))
    const problem = (await page.getByText(/^name: /).textContent())?.slice('name: '.length) ?? ''
    await page.getByRole('link', { name: 'Form' }).click()
    await field('name').getByText(problem, { exact: true }).waitFor()
    await page.getByLabel('Type of description').selectOption('text')
    await page.getByLabel('name', { exact: true }).fill('Live')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('1 changed').waitFor()
    expect(await server.gateway.db.workspaces.get('live')).toMatchObject({ name: 'Live', description: '' })
  })

  it('prefills a new row, so that three fields remain to be filled in', async () => {
    await page.goto(`${server.url}/__understudy/#/data?collection=workspaces`)
    await page.getByRole('link', { name: 'Add a row' }).click()
    await page.getByLabel('slug', { exact: true }).fill('new-one')
    await page.getByLabel('name', { exact: true }).fill('New one')
    await page.getByLabel('io_logging_sampling_rate', { exact: true }).fill('1')
    await page.getByRole('button', { name: 'Add', exact: true }).last().click()
    await page.getByText('1 added').waitFor()
    expect(await server.gateway.db.workspaces.get('new-one')).toMatchObject({ name: 'New one' })
  })
})

describe('the scenario form', () => {
  beforeEach(async () => {
    await page.getByRole('link', { name: 'Scenarios' }).click()
    await group('rule 1').waitFor()
  })

  it('tries a rule against past calls while it is edited, and activates it', async () => {
    await page.getByText('Would match 1 of the last 10 calls.').waitFor()
    await addField('when', 'rule 1')
    await addField('model', 'when')
    expect(await offered('model')).toContain('aurora/dawn-2')
    await page.keyboard.type('aurora/dawn-1')
    await page.locator('.matching').getByText('529 POST /responses Say it in one line.').waitFor()
    await group('rule 1').getByText('Would apply to 1 of the last 10 calls').waitFor()
    await page.getByRole('button', { name: 'Activate', exact: true }).click()
    await page.getByText("'mine' is active").waitFor()
    const [active] = server.gateway.sandboxes.default.activeScenarios()
    expect(active?.rules[0]?.source).toMatchObject({
      on: 'createResponse',
      when: { model: 'aurora/dawn-1' },
      fault: { name: 'status', status: 503 },
    })
  })

  it('shows each problem at its field, and offers operations, faults and their parameters', async () => {
    expect(await offered('on')).toEqual(expect.arrayContaining(['*', 'text', 'createResponse', 'getPreset']))
    await group('rule 1').getByLabel('on', { exact: true }).fill('createRespons')
    await group('rule 1').getByText("did you mean 'createResponse'").waitFor()
    await page.getByText('1 problem', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Activate', exact: true }).isDisabled()).toBe(true)
    await group('rule 1').getByLabel('on', { exact: true }).fill('createResponse')
    await group('fault').getByLabel('name', { exact: true }).selectOption('stream-stall')
    await addField('afterDeltas', 'fault')
    await page.keyboard.type('3')
    await group('fault').getByText('must').or(page.getByText('Would match')).first().waitFor()
    await addField('probability', 'rule 1')
    await page.getByLabel('probability', { exact: true }).fill('50')
    await group('rule 1').getByText('0 to 1, got 50').waitFor()
    await page.getByRole('button', { name: 'Remove probability' }).click()

    // Both views edit one draft.
    await page.getByRole('link', { name: 'Text', exact: true }).click()
    const text = page.getByLabel('Scenario (YAML or JSON)')
    expect(JSON.parse(await text.inputValue()).rules).toEqual([
      expect.objectContaining({
        on: 'createResponse',
        fault: expect.objectContaining({ name: 'stream-stall' }),
      }),
    ])
    await text.fill('on: getPreset\nfault: latency\nwhen:\n  params: { slug: summary }\n')
    await page.getByRole('link', { name: 'Form' }).click()
    await group('Rule').getByLabel('slug', { exact: true }).waitFor()
    expect(await offered('slug')).toContain('code-review')
    expect(await group('fault').getByLabel('name', { exact: true }).inputValue()).toBe('latency')
    await text.or(page.getByRole('link', { name: 'Text', exact: true })).click()
    await text.fill('[')
    await page.getByRole('link', { name: 'Form' }).click()
    await page.getByText('the form cannot show it').waitFor()
  })

  it('adds, moves and removes rules and conditions', async () => {
    await page.getByRole('button', { name: 'Add rule', exact: true }).click()
    await group('rule 2').getByLabel('on', { exact: true }).fill('getPreset')
    await addField('reply', 'rule 2')
    await page.keyboard.type('Hello')
    await addField('when', 'rule 2')
    await addField('headers', 'when')
    await page.getByLabel('Name to add to headers').fill('x-team')
    await page.getByRole('button', { name: 'Add name to headers' }).click()
    await page.keyboard.type('blue')
    await page.getByRole('button', { name: 'Move up rule 2' }).click()
    await page.getByRole('button', { name: 'Remove rule 2' }).click()
    await page.getByRole('link', { name: 'Text', exact: true }).click()
    expect(JSON.parse(await page.getByLabel('Scenario (YAML or JSON)').inputValue()).rules).toEqual([
      { on: 'getPreset', reply: 'Hello', when: { headers: { 'x-team': 'blue' } } },
    ])
  })

  it('edits an active scenario', async () => {
    await page.getByRole('button', { name: 'Edit busy-morning' }).click()
    await group('rule 3').waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('scenario-editor')
  })
})
