/** Lists in requests, which are checked only until enough violations are found. */
import * as z from 'zod'

/** Number of violations after which the rest of a list is not checked. A reply shows the first hundred. */
const maxIssues = 200

/** Typed, because TypeScript requires it of a function that asserts. */
const init: (list: z.ZodArray, definition: z.core.$ZodArrayDef) => void = z.ZodArray.init
const List = z.core.$constructor<z.ZodArray>('List', (list, definition) => {
  init(list, definition)
  const { parse } = list._zod
  list._zod.parse = (payload, context) => {
    const { value, issues } = payload
    if (!Array.isArray(value)) return parse(payload, context)
    const items: unknown[] = []
    for (const [index, item] of value.entries()) {
      // Schemas of requests are synchronous.
      const result = definition.element._zod.run({ value: item, issues: [] }, context) as z.core.ParsePayload
      for (const issue of z.core.util.prefixIssues(index, result.issues)) issues.push(issue)
      items.push(result.value)
      if (issues.length >= maxIssues) break
    }
    payload.value = items
    return payload
  }
})

/** Like `z.array(item)`, but a list of 9 MB with nothing valid in it takes milliseconds instead of a minute. */
export function list<Item extends z.ZodType>(item: Item): z.ZodArray<Item> {
  return new List({ type: 'array', element: item }) as z.ZodArray<Item>
}
