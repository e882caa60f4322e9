/**
 * Sends requests that look like gateway requests, and prints the results. The environment's proxy stands in for all
 * other hosts.
 */
import http from 'node:http'
import { handlers } from 'gateway-understudy/msw'
import { createGateway, intercept } from 'gateway-understudy/node'

const headers = { authorization: 'Bearer sk-real-key' }

const resultOf = (reply) =>
  reply.then(
    ({ status }) => status,
    (error) => error.cause?.message ?? error.message,
  )
const clients = {
  fetch: (method, url) => resultOf(fetch(url, { method, headers })),
  request: (method, url) => resultOf(fetch(new Request(url, { method, headers }))),
  'node:http': (method, url) =>
    new Promise((resolve) => {
      const sent = http.request(url, { method, headers }, (reply) => {
        reply.resume()
        resolve(reply.statusCode)
      })
      sent.on('error', (error) => resolve(error.message))
      sent.end()
    }),
}

const calls = [
  'GET http://gateway.example/api/v1/providers',
  'POST http://api.vendor.example/v1/responses',
  'GET http://gateway.example/api/v1/provider',
  'POST http://gateway.example/api/v1/files',
]

const results = Object.fromEntries(calls.map((line) => [line, []]))
console.error = () => {}
for (const options of [{}, { baseUrl: 'http://gateway.example/api/v1' }]) {
  const interception = intercept(createGateway(options))
  for (const send of Object.values(clients))
    for (const line of calls) results[line].push(await send(...line.split(' ')))
  interception.close()
}

const { fetch: original } = globalThis
const interception = intercept(createGateway(), { onUnhandledRequest: 'bypass' })
results.asked = await clients.fetch('GET', 'http://gateway.example/api/v1/asked')
interception.close()
results.restored = globalThis.fetch === original
try {
  results.handlers = handlers(createGateway()).length > 0
} catch (error) {
  results.handlers = error.message
}
process.stdout.write(JSON.stringify(results), () => process.exit(0))
