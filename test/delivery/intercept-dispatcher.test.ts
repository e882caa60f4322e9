/** Tests the interception of `fetch` in processes that have not loaded it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const [source, shared] = ['intercept-dispatcher', 'interceptions'].map(
  (name) => new URL(`../../src/delivery/${name}.ts`, import.meta.url),
)

/** Runs code in a separate process that has not loaded `fetch`, and returns the JSON that it prints. */
async function run(code: string): Promise<unknown> {
  const script = `
    import { replaceDispatchers } from '${source}'
    import { activate } from '${shared}'
    const place = Symbol.for('undici.globalDispatcher.1')
    const isLoaded = () => process.moduleLoadList.some((name) => name.endsWith('deps/undici/undici'))
    const has = () => Object.getOwnPropertyDescriptor(globalThis, place)
    const { fetch } = globalThis
    const { defineProperty } = Object
    const paths = []
    const start = (onDispatch, copy = { activate, replaceDispatchers }) => {
      const close = copy.activate({ onDispatch })
      copy.replaceDispatchers()
      return close
    }
    const listen = () => start(({ path }) => { paths.push(path); throw new Error('caught') })
    const call = (path, send = fetch) => send('http://127.0.0.1:9999' + path).catch(({ cause }) => cause.message)
    ${code}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  return JSON.parse(stdout)
}

it('replaceDispatchers() does not load undici before the first request, and leaves no global dispatcher behind', async () => {
  const result = await run(`
    const close = listen()
    const during = isLoaded()
    close()
    console.log(JSON.stringify({ during, after: isLoaded(), left: has() === undefined }))`)
  expect(result).toEqual({ during: false, after: false, left: true })
})

it("replaceDispatchers() intercepts the first request of a previously captured fetch and restores Node's dispatcher", async () => {
  const result = await run(`
    const close = listen()
    await call('/first')
    const before = has().value
    close()
    const restored = has().value !== before && Object.defineProperty === defineProperty
    console.log(JSON.stringify({ paths, restored }))`)
  expect(result).toEqual({ paths: ['/first'], restored: true })
})

it('replaceDispatchers() also works after the dispatcher has been read, and when called again before it is closed', async () => {
  const result = await run(`
    const close = listen()
    const looked = globalThis[place] === undefined
    await 0
    const isNative = Object.defineProperty === defineProperty
    const closeSecond = listen()
    await call('/second')
    closeSecond()
    await call('/first')
    close()
    console.log(JSON.stringify({ looked, isNative, paths }))`)
  expect(result).toEqual({ looked: true, isNative: true, paths: ['/second', '/first'] })
})

it.each(['before', 'after'])(
  "replaceDispatchers() intercepts npm's undici if it loads %s Node's",
  async (when) => {
    const result = await run(`
    const close = listen()
    if ('${when}' === 'after') await call('/node')
    const undici = await import('undici')
    await call('/undici', undici.fetch)
    await call('/fetch')
    close()
    const refused = await call('/passed', undici.fetch)
    const closeSecond = listen()
    await call('/again', undici.fetch)
    closeSecond()
    console.log(JSON.stringify({ paths, refused }))`)
    expect(result).toEqual({
      paths: [...(when === 'after' ? ['/node'] : []), '/undici', '/fetch', '/again'],
      refused: 'connect ECONNREFUSED 127.0.0.1:9999',
    })
  },
)

it('replaceDispatchers() works together with another copy of the package', async () => {
  const result = await run(`
    const copy = { ...(await import('${source}?copy')), ...(await import('${shared}?copy')) }
    const others = []
    const close = listen()
    const closeCopy = start((options, _, pass) => others.push(options.path) && pass(options), copy)
    await call('/both')
    closeCopy()
    await call('/one')
    close()
    const refused = await call('/none')
    console.log(JSON.stringify({ paths, others, refused }))`)
  expect(result).toEqual({
    paths: ['/both', '/one'],
    others: ['/both'],
    refused: 'connect ECONNREFUSED 127.0.0.1:9999',
  })
})
