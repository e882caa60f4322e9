/** Tests that keys of known formats are hidden in every place of a call, and that text like keys is not. */
import { describe, expect, it } from 'vitest'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { hideInString, hideInText } from '../../../src/http/secrets.ts'
import { random } from '../../../src/lib/seed.ts'
import { connectGateway } from '../../../src/remote.ts'
import { type RequestLine, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'

const alphabets: Record<string, string> = {
  w: 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789-_',
  a: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  l: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  h: '0123456789abcdef',
  u: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
  d: '0123456789',
}

/** Replaces each `<a24>` by 24 random characters of an alphabet, so that no key is in this file. */
function filled(template: string): string {
  const next = random('formats', template)
  return template.replace(/<(\w)(\d+)>/g, (_, name: string, count: string) => {
    const alphabet = alphabets[name] ?? ''
    return Array.from({ length: Number(count) }, () => alphabet[Math.floor(next() * alphabet.length)]).join(
      '',
    )
  })
}

const keys = `
  sk-<a48> sk-proj-<w140> sk-svcacct-<w100> sk-admin-<w100> sk-ant-api03-<w95> sk-ant-admin01-<w95> sk-or-v1-<h64>
  sk-<w22> sk-lf-<h8>-<h4>-<h4>-<h4>-<h12> AIza<w35> AQ.Ab8RN6<w44> ya29.<w100> GOCSPX-<w28> AKIA<u16> ABSK<a130>=
  bedrock-api-key-<a132> <a52>JQQJ99<u6>AAABACOG<a4> <a52>AzureAI<a12> <a3>8Q~<a34> nvapi-<w64> vcp_<a56> vck_<a56>
  xapp-1-A<u10>-<d13>-<h64> xoxb-<d12>-<d12>-<a24> xoxe.xoxp-1-<u166> dapi<h32> gsk_<a52> xai-<a80> pplx-<a48> r8_<a37>
  fw_<a24> tgp_v1_<w43> csk-<a48> hf_<l34> api_org_<l34> lsv2_pt_<h32>_<h10> pcsk_<a6>_<a60> tvly-dev-<a32> fc-<h32>
  sk_<h48> sk_live_<a60> SK<h32> SG.<w22>.<w43> key-<h32> <h32>-us12 shpat_<h32> ghs_<a36> github_pat_<a22>_<a59>
  glpat-<a20> glcbt-64_<a20> npm_<a36> pypi-<w150> dckr_pat_<w27> cfut_<a48> dop_v1_<h64> HRKU-AA<w58> nfp_<a36>
  sbp_<h40> sb_secret_<w22>_<a8> lin_api_<a40> ntn_<d11><a35> secret_<a43> figd_<w40> sntryu_<h64> glsa_<a32>_<h8>
  phx_<a43> ops_eyJ<a260> hvs.<w95> AGE-SECRET-KEY-1<u58> api-key=<h32> MISTRAL_API_KEY=<a32> aws_secret_access_key=<a40>
  AccountKey=<a86>== twilio_auth_token=<h32> M<a23>.G<a5>.<w38> rpa_<a46> pa-<w43> key_<h64>
  EAAA<w60> wandb_v1_<w77>`
  .trim()
  .split(/\s+/)
  .map(filled)

describe('keys of known formats', () => {
  it.each(keys)('%s is hidden in each place, also percent-encoded', async (key) => {
    const lines: RequestLine[] = []
    await using server = await startServer({ timeScale: 0, onRequest: (line) => lines.push(line) })
    const url = encodeURIComponent(`https://files.example/?${key.includes('=') ? '' : 'q='}${key}`)
    server.gateway.use({ on: 'createResponse', reply: { status: 401, body: { error: `Wrong: ${key}.` } } })
    const quoted = key.replace(/=(?=\w)(.*)/, '="$1"')
    const options = {
      headers: { 'x-note': key },
      body: { model: 'a/b', input: key, metadata: { note: `_${key}_` }, [key]: 1 },
    }
    await call(server, `POST /responses?u=${url}&v=${encodeURIComponent(url)}`, options)
    await call(server, `GET /presets/${encodeURIComponent(key)}`)
    const remote = await connectGateway(server.url)
    const entries = await remote.journal.entries()
    const exported = entries.map(({ id }) => {
      return fetch(`${server.url}/__understudy/sandboxes/default/calls/${id}/export?as=vitest`)
    })
    const shown = [
      ...[entries, server.gateway.journal.har(), lines].map((each) => JSON.stringify(each)),
      ...(await Promise.all(exported.map(async (reply) => (await reply).text()))),
      ...server.gateway.journal.entries().map((entry) => server.gateway.journal.explain(entry)),
      new Redactor().finder.replace(JSON.stringify(JSON.stringify({ note: `\n${key}`, url, quoted }))),
    ]
    const secret = key.replace(/^\w+(?:-\w+)?=(?=\w{30})/, '')
    for (const text of shown) {
      expect(decodeURIComponent(text.replace(/%(?![\da-f]{2})/gi, '%25'))).not.toContain(secret.slice(-12))
      expect(text).not.toContain(secret.slice(0, 20))
    }
  })

  it.each(
    `
    <h40> <h64> sha256:<h64> resp_<h50> call_<a24> msg_01<a22> toolu_01<a22> chatcmpl-<a29> file-<a24> req_<h32> <a2000>
    <h8>-<h4>-4<h3>-8<h3>-<h12> gen-<d10>-<a20> re_3<a23> sk-learn sk-fading-circle12-container-wrapper sk-hynix-hbm3e-memory-news sk-circleFadeDot12
    sk-proj-your-key-here risk-adjusted-return-on-capital-2024 hf_my_model_for_text_classification fw_default_settings
    npm_package_config_registry secret_manager_client_configuration pplx-70b-online "max_tokens":4096 {"total_token":"12345678"}
    next_page_token=CAESBgoEGgII<d8> prompt_cache_key=user<d8> idempotency-key:<h16> public_key:<h40> (apiKey=process.env.API_KEY2
    (token=tokenizer.encode(text2) (password=getPassword2() (OPENAI_API_KEY=your-key-here trace_id:<h32> https://user@a.example
    https://a.example:8443/?page=2 postgres://localhost:5432/a claude-3-5-sonnet-20241022 +1-555-010-9999 50%25%20of%2Fit`
      .trim()
      .split(/\s+/)
      .map(filled),
  )('%s is not hidden', (text) => {
    expect(hideInString(text)).toBe(text)
    expect(hideInText(JSON.stringify({ text }))).toBe(JSON.stringify({ text }))
    expect(new Redactor().finder.replace(text)).toBe(text)
  })
})
