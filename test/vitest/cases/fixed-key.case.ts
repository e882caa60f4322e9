/** Work that belongs to no test, for the warning that a person then sees. Run by ../failing.test.ts. */
import { test } from '../../../src/vitest.ts'

/** A queue as applications have them: it was started before any test, and asks when it is told to. */
const asked: Array<() => void> = []
async function work(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    const done = asked.shift()
    if (!done) continue
    await fetch('https://models.example/api/v1/providers', {
      headers: { authorization: 'Bearer sk-fixed-1234' },
    })
    done()
  }
}
work()

for (const name of ['first', 'second']) {
  test(`has a queue ask with its own key, ${name}`, async () => {
    await new Promise<void>((resolve) => asked.push(resolve))
  })
}
