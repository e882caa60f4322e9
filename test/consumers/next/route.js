// app/api/chat/route.js
const url = 'https://gateway.example/api/v1/responses'

export async function POST(request) {
  const { question } = await request.json()
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${process.env.GATEWAY_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input: question }),
  })
  if (!response.ok) return Response.json({ error: 'Try again later' }, { status: 503 })
  const { output } = await response.json()
  return Response.json({ answer: output[0].content[0].text })
}
