import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/http/reply.ts'
import { createGateway } from '../../src/index.ts'
import { textOfLength } from '../../src/model/items.ts'
import { PacedFrames } from '../../src/model/paced-frames.ts'
import { countTokens } from '../../src/model/tokens.ts'
import {
  bundledProfiles,
  type LatencyProfile,
  latencyOf,
  pointsOf,
  type Quantiles,
  valueAt,
} from '../../src/sandbox/latency.ts'
import { call, open } from '../call.ts'
import { cases } from '../suite-size.ts'

const profile: LatencyProfile = {
  profile: 1,
  models: {
    'aurora/*': {
      firstByteMs: { p10: 100, p50: 200, p90: 600, p99: 2000 },
      gapMs: { p10: 5, p50: 10, p90: 30, p99: 100 },
      tokens: { p10: 20, p50: 60, p90: 150, p99: 300 },
    },
    '*': { firstByteMs: { p50: 7 } },
  },
}

/** Maximum difference between the empirical and the expected distribution, at the given quantiles. */
function distance(samples: readonly number[], quantiles: Quantiles): number {
  const differences = Object.entries(quantiles).map(([name, value]) => {
    const share = samples.filter((sample) => sample <= value).length / samples.length
    return Math.abs(share - Number(name.slice(1)) / 100)
  })
  return Math.max(...differences)
}

function waits(id: string, model: string, options: { latency: LatencyProfile; seed?: number }): number[] {
  const events = [{ type: 'a' }, { type: 'delta' }, { type: 'delta' }]
  const frames = new PacedFrames(
    {
      id,
      model,
      events,
      isToken: ({ type }) => type === 'delta',
      toFrame: (event): Frame => ({ kind: 'event', event }),
      endsWithDone: true,
    },
    { seed: 1, ...options },
  )
  return [...frames].flatMap((frame) => (frame.kind === 'wait' ? [frame.ms] : []))
}

const { firstByteMs, gapMs, tokens } = profile.models['aurora/*'] as Record<string, Quantiles>

it('valueAt interpolates between quantiles, extrapolates outside them, and is never negative', () => {
  const at = (quantiles: Quantiles, ...shares: number[]) => shares.map((share) => valueAt(quantiles, share))
  const three = { p90: 50, p10: 10, p50: 20 }
  const rounded = at(three, 0, 0.1, 0.3, 0.5, 0.7, 0.9, 1).map((value) => Math.round(value * 1000) / 1000)
  expect(rounded).toEqual([7.5, 10, 15, 20, 35, 50, 57.5])
  expect(at({ p10: 1, p20: 11 }, 0)).toEqual([0])
  expect(at({ p50: 7 }, 0, 0.5, 1)).toEqual([7, 7, 7])
  expect(at({}, 0.5)).toEqual([0])
  expect(pointsOf({ 'p99.5': 2, p0: 1, p100: 3 })).toEqual([
    [0, 1],
    [0.995, 2],
    [1, 3],
  ])
})

describe('latency profiles', () => {
  it('determine the delays of 1,000 streams to within 0.05 of each quantile', () => {
    const drawn = Array.from({ length: 1000 }, (_, call) =>
      waits(`resp_${call}`, 'aurora/dawn-2', { latency: profile }),
    )
    expect(
      distance(
        drawn.map(([first]) => first as number),
        firstByteMs as Quantiles,
      ),
    ).toBeLessThanOrEqual(0.05)
    expect(
      distance(
        drawn.flatMap(([, ...gaps]) => gaps),
        gapMs as Quantiles,
      ),
    ).toBeLessThanOrEqual(0.05)
  })

  it.each(Object.entries(bundledProfiles))(
    'determine delays with the bundled profile %s, which names its source',
    (_, bundled) => {
      expect(bundled.source).toMatch(/plausible/i)
      const drawn = Array.from({ length: 1000 }, (_, call) =>
        waits(`resp_${call}`, 'x/y', { latency: bundled }),
      )
      const { firstByteMs } = bundled.models['*'] as LatencyProfile['models'][string]
      expect(
        distance(
          drawn.map(([first]) => first as number),
          firstByteMs as Quantiles,
        ),
      ).toBeLessThanOrEqual(0.05)
    },
  )

  it('give the same values for the same seed, and can differ by model', () => {
    const first = waits('resp_1', 'aurora/dawn-2', { latency: profile })
    expect(waits('resp_1', 'aurora/dawn-2', { latency: profile })).toEqual(first)
    expect(waits('resp_1', 'aurora/dawn-2', { latency: profile, seed: 2 })).not.toEqual(first)
    expect(waits('resp_1', 'borealis/polar-4', { latency: profile })).toEqual([7])
  })

  it('determine the length of generated text, which is the same each time', async () => {
    const { fetch } = createGateway({ timeScale: 0, latency: profile })
    const ask = async (input: string) => {
      const response = await call({ fetch }, 'POST /responses', { body: { model: 'aurora/dawn-2', input } })
      const { output, usage } = response.body
      return { text: output[0].content[0].text as string, tokens: usage.output_tokens as number }
    }
    const inputs = Array.from(
      { length: cases(200, 1000) },
      (_, index) => `Question ${index}: why is the sky blue?`,
    )
    const answers = await Promise.all(inputs.map(ask))
    expect(
      distance(
        answers.map(({ tokens }) => tokens),
        tokens as Quantiles,
      ),
      // With 200 samples, a deviation of 0.05 can occur by chance.
    ).toBeLessThanOrEqual(cases(0.1, 0.05))
    expect(await ask(inputs[0] as string)).toEqual(answers[0])
    for (const { text, tokens } of answers) expect(countTokens(text)).toBe(tokens)
  }, 60_000)

  it("delay a JSON reply by the stream's total duration", async () => {
    const totalMs = { p50: 40 }
    const { fetch, journal } = createGateway({
      latency: { profile: 1, models: { '*': { firstByteMs: { p50: 1 }, totalMs } } },
    })
    await open({ fetch }, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello' } }).then(
      (response) => response.text(),
    )
    expect(journal.entries()[0]?.durationMs).toBeGreaterThanOrEqual(39)
  })

  it('are looked up by exact model name, then by glob, then `*`', () => {
    const line = (p50: number) => ({ firstByteMs: { p50 } })
    const models = { '*': line(1), 'aurora/*': line(2), 'aurora/dawn-2': line(3) }
    const profiles = ['aurora/dawn-2', 'aurora/dusk', 'x/y'].map((model) =>
      latencyOf({ latency: { profile: 1, models } }, model),
    )
    expect(profiles.map((latency) => latency?.firstByteMs?.p50)).toEqual([3, 2, 1])
    expect(latencyOf({ latency: { profile: 1, models } }, 'Aurora/Dusk')).toEqual(line(2))
    expect(latencyOf({ latency: { profile: 1, models: { 'a/*': line(1) } } }, 'b/c')).toBeUndefined()
    expect(latencyOf({ latency: { profile: 1, models: {} } }, 'constructor')).toBeUndefined()
  })

  it('lengthen the usual text by appending more text', async () => {
    const textOf = async (latency?: LatencyProfile) => {
      const { fetch } = createGateway({ timeScale: 0, latency })
      const response = await call({ fetch }, 'POST /responses', {
        body: { model: 'aurora/dawn-2', input: 'Why is the sky blue?' },
      })
      return response.body.output[0].content[0].text as string
    }
    const long = await textOf({
      profile: 1,
      models: { '*': { firstByteMs: { p50: 1 }, tokens: { p50: 900 } } },
    })
    const usual = await textOf()
    const [before, second = ''] = long.split(`${usual}\n\n`)
    expect(before).toBe('')
    expect(second.length).toBeGreaterThan(100)
    expect(second).not.toContain(usual)
  })

  it('do not change the length of an answer with a citation', async () => {
    const citations = async (latency?: LatencyProfile) => {
      const { fetch } = createGateway({ timeScale: 0, latency })
      const plugins = [{ id: 'web', max_results: 1 }]
      const body = { model: 'aurora/dawn-2', input: 'How do tides work?', plugins }
      const { output } = (await call({ fetch }, 'POST /responses', { body })).body
      return output.at(-1).content[0]
    }
    const cited = await citations({
      profile: 1,
      models: { '*': { firstByteMs: { p50: 1 }, tokens: { p50: 900 } } },
    })
    expect(cited.annotations).toHaveLength(1)
    expect(cited).toEqual(await citations())
  })

  it("can be given as a file from the `profile` command or as a bundled profile's name", () => {
    const file = join(mkdtempSync(join(tmpdir(), 'profile-')), 'mine.json')
    const printed = {
      firstByteMs: { p10: 1, p50: 2, p90: 3, p99: 4 },
      samples: 3,
      totalMs: { p50: 9 },
      bytes: { p50: 1 },
    }
    writeFileSync(file, JSON.stringify({ profile: 1, models: { '*': printed } }))
    expect(createGateway({ latency: file }).options.latency?.models['*']).toEqual(printed)
    expect(createGateway({ latency: 'typical' }).options.latency).toEqual(bundledProfiles['typical'])
  })

  it.each([
    ['300ms', { firstByteMs: { p50: 300 } }],
    [
      { firstByteMs: '1s', gapMs: { p50: '20ms', p99: 90 }, totalMs: '1m', keepAliveMs: '10s' },
      {
        firstByteMs: { p50: 1000 },
        gapMs: { p50: 20, p99: 90 },
        totalMs: { p50: 60_000 },
        keepAliveMs: 10_000,
      },
    ],
  ] as const)('accept durations, as in %j', (latency, parsed) => {
    expect(createGateway({ latency }).options.latency?.models['*']).toEqual(parsed)
  })

  it.each([
    ['typcal', "did you mean 'typical'?"],
    ['9999999d', 'unknown profile'],
    [{ keepAliveMs: '0s' }, 'keepAliveMs'],
    [{ gapsMs: 3 }, "unknown option 'latency.gapsMs'; did you mean 'gapMs'?"],
    ['./nothing.json', 'options.latency: ./nothing.json: no such file'],
    [
      'constructor',
      "options.latency: unknown profile 'constructor'; choose fast, typical, reasoning, or a .json file",
    ],
    ['package.json', 'options.latency: package.json:1:1: profile is required'],
    ...[{ p50: 9, p90: 3 }, { p50: -1 }, {}, { p101: 1 }, { 50: 1 }, { p5x: 1 }].map(
      (firstByteMs): [object, string] => [
        { profile: 1, models: { '*': { firstByteMs } } },
        'options.latency',
      ],
    ),
    [{ profile: 2, models: {} }, 'options.latency'],
  ])('are rejected if invalid: %j', (latency, message) => {
    expect(() => createGateway({ latency } as never)).toThrow(message)
  })
})

it('textOfLength returns text with the given number of tokens that ends like a sentence', () => {
  const texts = [1, 2, 3, 9].map((tokens) =>
    textOfLength(tokens, () => 'Some words and more of them. Others.'),
  )
  expect(texts).toEqual(['Some', 'Some.', 'Some words.', 'Some words and more of them. Others.'])
  expect(texts.map(countTokens)).toEqual([1, 2, 3, 9])
  // No second punctuation mark is added.
  expect(textOfLength(8, () => 'Some words and more of them. Others.')).toBe('Some words and more of them.')
  expect(textOfLength(4, () => 'Some words, and more.')).toBe('Some words.')
})
