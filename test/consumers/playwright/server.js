/**
 * The application under test: one page, and a server that forwards questions to the gateway.
 *
 * In test mode (`TEST=1`), `x-gateway-url` or `x-gateway-key` selects the test's sandbox.
 */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'

const {
  PORT = '4300',
  GATEWAY_URL = 'http://127.0.0.1:4141/api/v1',
  GATEWAY_KEY = 'sk-fixed',
  TEST,
} = process.env

createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/ask') return ask(request, response)
  response.setHeader('content-type', 'text/html; charset=utf-8')
  response.end(await readFile(new URL('page.html', import.meta.url)))
}).listen(Number(PORT), '127.0.0.1')

async function ask(request, response) {
  // #region gateway
  const url = (TEST && request.headers['x-gateway-url']) || GATEWAY_URL
  const key = (TEST && request.headers['x-gateway-key']) || GATEWAY_KEY
  // #endregion
  const question = (await Array.fromAsync(request)).join('')
  try {
    const answer = await fetch(`${url}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'aurora/dawn-2', input: question, stream: true }),
    })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') })
    await pipeline(answer.body, response)
  } catch {
    response.destroy()
  }
}
