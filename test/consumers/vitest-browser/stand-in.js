import { createServer } from 'node:http'

/** A server that stands in for the real hosts. `GET /received` returns the requests that reached it. */
export default function setup({ provide }) {
  const received = []
  const server = createServer((request, response) => {
    const line = `${request.method} http://${request.headers.host}${request.url}`
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    if (request.url === '/received') return response.end(JSON.stringify(received.splice(0)))
    received.push(line)
    response.end('real')
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      provide('port', server.address().port)
      resolve(() => server.close())
    })
  })
}
