/**
 * A gzip body as `fetch` gives it: unpacked as it is read. Where the connection breaks, the error comes after all that
 * was unpacked before it; in the pipes of the platform it would overtake that.
 */

const { setTimeout } = globalThis

export function unpacked(body: ReadableStream<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array> {
  const { readable, writable } = new DecompressionStream('gzip')
  const packed = body.getReader()
  const input = writable.getWriter()
  const output = readable.getReader()
  let given = 0
  let failure: unknown
  const give = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    for (;;) {
      const { done, value } = await output.read()
      if (done) return controller.close()
      given++
      controller.enqueue(value)
    }
  }
  return new ReadableStream(
    {
      start(controller) {
        give(controller).catch((error) => controller.error(error))
      },
      /** Called when its reader waits for more: by then it has all that was given. */
      async pull() {
        const before = given
        let isOver = false
        while (given === before && !isOver) {
          if (failure !== undefined) throw failure
          try {
            const { done = false, value } = await packed.read()
            isOver = done
            await (value ? input.write(value) : input.close())
          } catch (error) {
            failure = error
          }
          // What was written has been unpacked, and comes in the next turn of the loop.
          if (failure !== undefined) await new Promise((resolve) => setTimeout(resolve))
        }
      },
      async cancel(reason) {
        await Promise.all([packed.cancel(reason), output.cancel(reason)])
      },
    },
    { highWaterMark: 0 },
  )
}
