/** A worker in Miniflare, whose requests to other hosts get replies from the gateway. */
import { createGateway } from 'gateway-understudy'
import { Miniflare } from 'miniflare'

const gateway = createGateway()
const miniflare = new Miniflare({
  modules: true,
  compatibilityDate: '2026-01-01',
  script: `
    const headers = { authorization: 'Bearer sk-real-key', 'content-type': 'application/json' }
    const body = '{"model":"aurora/dawn-2","input":"Hello"}'
    const send = (path) => fetch('https://api.vendor.example' + path, { method: 'POST', headers, body })
    const paths = ['/api/v1/responses', '/api/v1/respnses', '/v1/files', '/v1/responses']
    export default {
      async fetch() {
        return Response.json(await Promise.all(paths.map(async (path) => (await send(path)).status)))
      },
    }`,
  outboundService: (request) => gateway.fetch(request),
})
const response = await miniflare.dispatchFetch('http://localhost/')
process.stdout.write(await response.text())
await miniflare.dispose()
