/** Addresses and configurations of common clients, shown while there are no calls. */
import { sandboxes } from './calls-store.ts'
import { sandboxId } from './location.ts'
import { Code } from './parts.tsx'

export function FirstSteps() {
  const sandbox = sandboxes.value.find(({ id }) => id === sandboxId.value)
  const base = sandbox?.baseUrl ?? `${location.origin}/api/v1`
  const key = sandbox?.apiKey ?? 'any'
  const body = JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?' })
  const post = `curl ${base}/responses -H 'authorization: Bearer ${key}' -H 'content-type: application/json'`
  const clients = [
    ['curl: a list', `curl ${base}/providers -H 'authorization: Bearer ${key}'`],
    ['curl: a reply', `${post} -d '${body}'`],
    ['curl: a stream', `${post} -N -d '${body.replace('}', ',"stream":true}')}'`],
    ['Environment variables, for most clients', `export OPENAI_BASE_URL=${base} OPENAI_API_KEY=${key}`],
    ['OpenAI for JavaScript', `new OpenAI({ apiKey: '${key}', baseURL: '${base}' })`],
    ['OpenAI for Python', `OpenAI(api_key="${key}", base_url="${base}")`],
    ['AI SDK', `createOpenAI({ apiKey: '${key}', baseURL: '${base}' })`],
  ] as const
  return (
    <div class="screen">
      <h2>No calls yet</h2>
      <p>
        Calls appear here as they arrive. The base URL is <code>{base}</code>.
      </p>
      {clients.map(([title, text]) => (
        <section key={title}>
          <h3>{title}</h3>
          <Code text={text} label={title} />
        </section>
      ))}
    </div>
  )
}
