/** Work that cannot be attributed to a test and triggers a warning. Run by ../failing.slow.test.ts. */
import { test } from '../../../src/vitest.ts'

/** A job queue like an application's: its worker starts before any test, and sends a request for each job. */
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
  test(`a queue sends requests with its own key, ${name}`, async () => {
    await new Promise<void>((resolve) => asked.push(resolve))
  })
}
