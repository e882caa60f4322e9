/** Records a call of a published client with the real `record` command, from a gateway on this machine. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { startServer } from 'gateway-understudy/serve'
import { lastOf, text } from './recorded.js'

await using upstream = await startServer({ latency: { firstToken: 5, perToken: 5 } })
upstream.gateway.reply(text)
const flags = [
  '--upstream',
  upstream.baseUrl,
  '--recordings',
  'recordings',
  '--port',
  '0',
  '--json',
  '--allow-ci',
]
const stdio = ['ignore', 'pipe', 'inherit']
const recorder = spawn('node_modules/.bin/gateway-understudy', ['record', ...flags], { stdio })
const exit = once(recorder, 'exit')
const [line] = await once(recorder.stdout.setEncoding('utf8'), 'data')
console.log(await lastOf({ baseURL: JSON.parse(line).baseUrl }))
recorder.kill('SIGINT')
await exit
