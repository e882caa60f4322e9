/**
 * Tests that code copied from the console runs unchanged in a project that has installed the package.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from '@playwright/test'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/faults/index.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { type Consumer, install } from '../../consumers/consumer.ts'
import { launch } from './browser.ts'

interface SampleRequest {
  method: string
  path: string
  body?: object
}

const question = { model: 'aurora/dawn-2', input: 'Why do tides come twice a day?' }

/** A request for each operation, and a similar path that matches nothing. */
const operations = {
  listProviders: { request: { method: 'GET', path: '/providers' }, near: '/provider' },
  listEmbeddingsModels: { request: { method: 'GET', path: '/embeddings/models' }, near: '/embeddings/model' },
  listBenchmarks: {
    request: { method: 'GET', path: '/benchmarks?source=index-source&max_results=3' },
    near: '/benchmark?max_results=3',
  },
  getPreset: { request: { method: 'GET', path: '/presets/code-review' }, near: "/preset/code-review's" },
  updateWorkspace: {
    request: { method: 'PATCH', path: '/workspaces/production', body: { description: `It's \`new\` now` } },
    near: '/workspace/production',
  },
  createResponse: { request: { method: 'POST', path: '/responses', body: question }, near: '/response' },
} satisfies Record<string, { request: SampleRequest; near: string }>
type OperationId = keyof typeof operations

/** A different fault for each operation. */
const faults: Record<OperationId, Fault> = {
  listProviders: { name: 'status', status: 503 },
  listEmbeddingsModels: 'rate-limit',
  listBenchmarks: 'truncated-body',
  getPreset: 'connection-reset',
  updateWorkspace: 'html-error-page',
  createResponse: { name: 'status', status: 529 },
}

let server: RunningServer
let browser: Browser
let project: Consumer
beforeAll(async () => {
  server = await startServer()
  browser = await launch()
  project = await install('copied-tests')
})
afterAll(async () => {
  await browser.close()
  await server.close()
  await project[Symbol.asyncDispose]()
})

/** Sends a request and returns the id of the call. */
async function ask({ method, path, body }: SampleRequest): Promise<string> {
  const before = server.gateway.journal.entries().length
  // Some faults break the connection.
  await call(server, `${method} ${path}`, { body }).catch(() => undefined)
  const entries = server.gateway.journal.entries()
  expect(entries).toHaveLength(before + 1)
  return entries.at(-1)?.id ?? ''
}

/** Makes the calls to copy, and returns their ids by file name. */
async function makeCalls(): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const operation of Object.keys(operations) as OperationId[]) {
    const { request, near }: { request: SampleRequest; near: string } = operations[operation]
    ids[`${operation}-plain`] = await ask(request)
    if (operation === 'createResponse')
      ids[`${operation}-stream`] = await ask({ ...request, body: { ...request.body, stream: true } })
    else {
      // Operations that do not stream get a stream from a rule.
      using _streams = server.gateway.use({
        on: operation,
        reply: {
          frames: [
            { event: { type: 'row', n: 1 } },
            { wait: 5 },
            { event: { type: 'row', n: 2 } },
            { done: true },
          ],
        },
      })
      ids[`${operation}-stream`] = await ask(request)
    }
    {
      using _fails = server.gateway.use({ on: operation, fault: faults[operation] })
      ids[`${operation}-fault`] = await ask(request)
    }
    ids[`${operation}-unmatched`] = await ask({ ...request, path: near })
  }
  return ids
}

async function copy(page: Page, id: string, as: string): Promise<string> {
  await page.goto(`${server.url}/__understudy/#/calls?call=${id}&in=default`)
  await page.getByText(id, { exact: true }).waitFor()
  await page.getByRole('button', { name: as }).click()
  await page.getByText('Copied').waitFor()
  return page.evaluate(() => navigator.clipboard.readText())
}

describe('copied tests', () => {
  it('pass unchanged for six operations: plain, streamed, failing and unmatched', async () => {
    const ids = await makeCalls()
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    const page = await context.newPage()
    for (const runner of ['vitest', 'playwright'])
      await mkdir(join(project.folder, runner), { recursive: true })
    for (const [name, id] of Object.entries(ids)) {
      const test = await copy(page, id, 'Vitest test')
      await writeFile(join(project.folder, 'vitest', `${name}.test.ts`), test)
      await page.goto('about:blank')
    }
    for (const [name, id] of Object.entries(ids)) {
      const test = await copy(page, id, 'Playwright test')
      await writeFile(join(project.folder, 'playwright', `${name}.spec.ts`), test)
      await page.goto('about:blank')
    }
    await context.close()
    expect(Object.keys(ids)).toHaveLength(24)

    const vitest = await project.run('npm run --silent test:vitest')
    expect(vitest, JSON.stringify(await project.readJson('vitest.json'))).toMatchObject({ code: 0 })
    expect(await project.readJson('vitest.json')).toMatchObject({ numPassedTests: 24, numTotalTests: 24 })
    const playwright = await project.run('npm run --silent test:playwright')
    expect(playwright).toMatchObject({ code: 0 })
    expect(await project.readJson('playwright.json')).toMatchObject({
      stats: { expected: 24, unexpected: 0, flaky: 0 },
    })
  })
})
