/**
 * Checks values against schemas. One that is asked again and again is compiled. That takes as long as a thousand or two
 * checks, so what a test needs a few times stays as it is.
 */
import * as z from 'zod'

const usesBeforeCompiling = 1000

interface Checker {
  schema: z.ZodType
  uses: number
}

const checkers = new WeakMap<z.ZodType, Checker>()

/** As `schema.safeParse(value)`. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  return checkerOf(schema).safeParse(value) as z.ZodSafeParseResult<z.output<Schema>>
}

/** Whether a value passes, for those who need neither a copy of it nor what is wrong with it. */
export function passes(schema: z.ZodType, value: unknown): boolean {
  return checkerOf(schema).validate(value)
}

function checkerOf(schema: z.ZodType): z.ZodType {
  let checker = checkers.get(schema)
  if (!checker) {
    checker = { schema: inner(schema), uses: 0 }
    checkers.set(schema, checker)
  }
  if (++checker.uses === usesBeforeCompiling) compile(checker)
  return checker.schema
}

/** Until the compiler is loaded, and for good where code may not make code, the schema stays as it is. */
async function compile(checker: Checker): Promise<void> {
  try {
    const { compile } = await import('./compile.ts')
    checker.schema = compile(checker.schema)
  } catch {
    // Slower, and no worse.
  }
}

/** What a lazy schema stands for, always the same one: `unwrap()` would build it anew. */
export function inner(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodLazy ? (schema._zod.innerType as z.ZodType) : schema
}
