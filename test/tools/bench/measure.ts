/**
 * Measures in rounds that alternate between the floor, this build and another build, so that other load on the machine
 * affects all alike.
 */

/** Measures a cost once. Only ratios of costs are meaningful on other machines. */
export type Cost = () => Promise<number> | number

/** Costs that one row compares. */
export interface Sides {
  /** The least possible work, or a peer. */
  floor: Cost
  /** This build. */
  ours: Cost
  /** Another build, with `--against`. */
  other?: Cost
}

/** Median costs, and the median ratios of each round to its floor. */
export interface Result {
  floor: number
  ours: number
  ratio: number
  /** Ratio of this build to the other one. */
  change?: number
}

const maxWarmUpRounds = 5

export async function compare(rounds: number, sides: Sides): Promise<Result> {
  const order = Object.entries(sides).filter(([, cost]) => cost) as [keyof Sides, Cost][]
  const measured: Record<keyof Sides, number>[] = []
  for (let round = -Math.min(rounds, maxWarmUpRounds); round < rounds; round++) {
    const costs = { floor: Number.NaN, ours: Number.NaN, other: Number.NaN }
    // Reverses the order, because a later measurement can benefit from an earlier one.
    for (const [side, cost] of round % 2 === 0 ? order : order.toReversed()) costs[side] = await cost()
    if (round >= 0) measured.push(costs)
  }
  return {
    floor: median(measured.map(({ floor }) => floor)),
    ours: median(measured.map(({ ours }) => ours)),
    ratio: median(measured.map(({ ours, floor }) => ours / floor)),
    ...(sides.other && { change: median(measured.map(({ ours, other }) => ours / other)) }),
  }
}

export function median(values: readonly number[], share = 0.5): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN
}
