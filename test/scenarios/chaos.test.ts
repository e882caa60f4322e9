import { expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { open } from '../call.ts'
import { cases } from '../suite-size.ts'

const options = { timeScale: 0 }

/**
 * Sends request `number` and returns its outcome for the client: status, scenario header, and whether the body ends
 * with `[DONE]` and is valid JSON.
 */
async function outcome(gateway: Gateway, number: number): Promise<string> {
  const stream = number % 2 === 0
  const body = { model: 'aurora/dawn-1', input: `Question ${number}`, stream, max_output_tokens: 16 }
  let head = ''
  try {
    const response = await open(gateway, 'POST /responses', { body })
    head = `${response.status} ${response.headers.get('x-understudy-scenario')}`
    const text = await response.text()
    return `${head} ${text.endsWith('[DONE]\n\n')} ${isJson(text)}`
  } catch (error) {
    return `${head} ${(error as Error).message}`
  }
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

async function inSequence(seed: number, calls: number): Promise<string[]> {
  const gateway = createGateway({ ...options, seed })
  gateway.use('chaos')
  const outcomes: string[] = []
  for (let call = 0; call < calls; call++) outcomes.push(await outcome(gateway, call))
  return outcomes
}

async function inParallel(seed: number, calls: number, atOnce: number): Promise<string[]> {
  const gateway = createGateway({ ...options, seed })
  gateway.use('chaos')
  const outcomes: string[] = []
  let next = 0
  const worker = async () => {
    while (next < calls) {
      // Alternates between both ends of the list to change the order of arrival.
      const turn = next++
      const call = turn % 2 === 0 ? turn / 2 : calls - 1 - (turn - 1) / 2
      outcomes[call] = await outcome(gateway, call)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return outcomes
}

it('the chaos scenario gives the same outcomes for the same seed, sequentially and with 50 requests in parallel', {
  timeout: 30_000,
}, async () => {
  const calls = cases(200, 1000)
  const outcomes = await inSequence(1, calls)
  expect(await inSequence(1, calls)).toEqual(outcomes)
  expect(await inParallel(1, calls, 50)).toEqual(outcomes)
  expect(await inSequence(2, 100)).not.toEqual(outcomes.slice(0, 100))

  const unaffected = outcomes.filter((each) => /^200 null/.test(each)).length
  expect(unaffected / calls).toBeGreaterThan(0.5)
  expect(unaffected / calls).toBeLessThan(0.8)
  expect(new Set(outcomes).size).toBeGreaterThan(8)
})
