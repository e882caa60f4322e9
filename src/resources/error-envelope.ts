/** Spec: Error envelope. */
import * as z from 'zod'

const Anything = z.record(z.string(), z.unknown())

export const ErrorEnvelope = z.lazy(() =>
  z
    .strictObject({
      error: z.strictObject({
        code: z.int().describe("The reply's HTTP status."),
        message: z.string(),
        metadata: Anything.nullish(),
      }),
      gateway_metadata: Anything.nullish(),
      user_id: z.string().nullish(),
    })
    .meta({ id: 'ErrorEnvelope', description: 'Body of an error reply.' }),
)
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>
