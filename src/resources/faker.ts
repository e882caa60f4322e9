/** Loads Faker, which takes about 50 ms. */
import type { Faker } from '@faker-js/faker'

let loading: ReturnType<typeof load> | undefined

/** Resolves to a function that sets the source of Faker's random numbers and returns the instance. */
export function loadFaker() {
  loading ??= load()
  return loading
}

async function load() {
  const { faker: shared } = await import('@faker-js/faker/locale/en')
  let next = () => 0
  // A separate instance, because seeding the shared one would affect users' tests.
  const SeparateFaker = shared.constructor as typeof Faker
  const faker = new SeparateFaker({
    locale: shared.rawDefinitions,
    randomizer: { next: () => next(), seed: () => {} },
  })
  return (random: () => number): Faker => {
    next = random
    return faker
  }
}
