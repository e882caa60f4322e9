/** Spec: `x_search_filter` fields, Limits. */
import * as z from 'zod'
import { fieldsOf, listOf } from '../lib/json.ts'
import { list } from './list.ts'

/** At most one of the two lists of handles may be non-empty. */
const filledList = { type: 'array', minItems: 1 }

export const xSearchFilter = () => {
  const Handle = z.string().regex(/^@?[^\s@]+$/, 'Must be a handle, with or without a leading @')
  const Handles = list(Handle).max(10)
  const Day = z.iso.date('Must be an ISO 8601 date, such as 2025-06-30')
  return z
    .looseObject({
      allowed_x_handles: Handles.nullish().describe('Handles whose posts are allowed.'),
      excluded_x_handles: Handles.nullish().describe('Handles whose posts are excluded.'),
      from_date: Day.nullish().describe('First day of the period, in UTC.'),
      to_date: Day.nullish().describe('Last day of the period, in UTC.'),
      enable_image_understanding: z.boolean().nullish().describe('Adds image descriptions to the excerpt.'),
      enable_video_understanding: z.boolean().nullish().describe('Adds video descriptions to the excerpt.'),
    })
    .refine((filter) => !(filled(filter, 'allowed_x_handles') && filled(filter, 'excluded_x_handles')), {
      path: ['excluded_x_handles'],
      message: 'Must be empty if allowed_x_handles is set: the two are mutually exclusive',
      params: { rule: 'mutually_exclusive' },
      // The rule applies even if another field is invalid.
      when: () => true,
    })
    .refine(({ from_date, to_date }) => (from_date as string) <= (to_date as string), {
      path: ['from_date'],
      message: 'Must not be after to_date',
      params: { rule: 'date_order' },
      // Both must be dates.
      when: ({ value }) =>
        Day.safeParse(fieldsOf(value)['from_date']).success &&
        Day.safeParse(fieldsOf(value)['to_date']).success,
    })
    .meta({
      not: {
        required: ['allowed_x_handles', 'excluded_x_handles'],
        properties: { allowed_x_handles: filledList, excluded_x_handles: filledList },
      },
    })
}
export type XSearchFilter = z.infer<ReturnType<typeof xSearchFilter>>

/** Returns true for a non-empty list. An empty list counts as absent. */
function filled(filter: object, name: string): boolean {
  return listOf(fieldsOf(filter)[name]).length > 0
}
