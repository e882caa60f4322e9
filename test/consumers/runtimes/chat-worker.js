export default {
  async fetch(request) {
    const response = await fetch('https://gateway.example/api/v1/responses', {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'aurora/dawn-2',
        input: new URL(request.url).searchParams.get('question'),
      }),
    })
    const { output } = await response.json()
    return new Response(output[0].content[0].text)
  },
}
