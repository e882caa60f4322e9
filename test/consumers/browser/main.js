import { gateway, started } from './readme.js'

await started
gateway.reply('Tides follow the moon, and the sun a little.')

const baseUrl = 'https://gateway.example/api/v1'
const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }

const { data } = await (await fetch(`${baseUrl}/providers`, { headers })).json()
show('providers', `${data.length} providers`)

const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?', stream: true })
const response = await fetch(`${baseUrl}/responses`, { method: 'POST', headers, body })
/** Length of the text after each delta. */
window.lengths = []
let text = ''
for await (const line of lines(response)) {
  const event = line.startsWith('data: {') ? JSON.parse(line.slice('data: '.length)) : {}
  if (event.type !== 'response.output_text.delta') continue
  text += event.delta
  window.lengths.push(text.length)
  show('answer', text)
}
show(
  'journal',
  gateway.journal
    .entries()
    .map(({ operation }) => operation)
    .join(', '),
)

async function* lines({ body }) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const parts = (rest + value).split('\n')
    rest = parts.pop()
    yield* parts
  }
}

function show(id, text) {
  document.getElementById(id).textContent = text
}
