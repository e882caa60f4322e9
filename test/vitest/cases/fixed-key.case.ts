/** Code with a fixed key, for the warning that a person then sees. Run by ../failing.test.ts. */
import { test } from '../../../src/vitest.ts'

for (const name of ['first', 'second']) {
  test(`asks with its own key, ${name}`, async () => {
    await fetch('https://models.example/api/v1/providers', {
      headers: { authorization: 'Bearer sk-fixed-1234' },
    })
  })
}
