/** Schemas for lists and records that callers send. List checks stop after a limited number of violations. */
import * as z from 'zod'

/** Number of violations after which the rest of a list is not checked. A reply shows the first hundred. */
const maxIssues = 200

const init: (list: z.ZodArray, definition: z.core.$ZodArrayDef) => void = z.ZodArray.init
const List = z.core.$constructor<z.ZodArray>('List', (list, definition) => {
  init(list, definition)
  const { parse } = list._zod
  list._zod.parse = (payload, context) => {
    const { value, issues } = payload
    if (!Array.isArray(value)) return parse(payload, context)
    const { maximum = Infinity } = Object(definition.checks?.at(-1)?._zod.def)
    if (value.length > Math.max(maximum, maxIssues)) return payload
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

/** Like `z.array(item)`, but checks 9 MB of invalid items in milliseconds, and no items if there are too many. */
export function list<Item extends z.ZodType>(
  item: Item,
  options?: Pick<z.core.$ZodArrayDef, 'error'>,
): z.ZodArray<Item> {
  return new List({ type: 'array', element: item, ...options }) as z.ZodArray<Item>
}

const maxFields = 1000

const initRecord: (record: z.ZodRecord, definition: z.core.$ZodRecordDef) => void = z.ZodRecord.init
const Bounded = z.core.$constructor<z.ZodRecord>('Bounded', (record, definition) => {
  initRecord(record, definition)
  const { parse } = record._zod
  record._zod.parse = (payload, context) => {
    const { value: input, issues } = payload
    if (typeof input !== 'object' || input === null || Object.keys(input).length <= maxFields)
      return parse(payload, context)
    issues.push({ code: 'too_big', origin: 'record', maximum: maxFields, input, inst: record })
    return payload
  }
})

/** Like `z.record(key, value)`, with at most a thousand fields. */
export function record<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  keyType: Key,
  valueType: Value,
): z.ZodRecord<Key, Value> {
  return new Bounded({ type: 'record', keyType, valueType }) as z.ZodRecord<Key, Value>
}
