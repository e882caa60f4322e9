/**
 * Formats of keys, and names of headers, parameters and fields with secrets, as data. Sources of prefixes, lengths and
 * alphabets: the rules of gitleaks and secretlint (both MIT), and vendors' documentation.
 */

/** Alphabet of the text after a prefix, its minimum length, and the prefixes. */
type KeyFormat = readonly [alphabet: string, minLength: number, prefixes: string]

/** Keys without a prefix, such as Azure's 32 hexadecimal digits, are found by the name before them. */
export const keyFormats: readonly KeyFormat[] = [
  // OpenAI, Anthropic, OpenRouter, DeepSeek, Langfuse, Helicone, LiteLLM and others
  ['\\w-', 20, 'sk-'],
  // Groq, xAI, Perplexity, Replicate, Fireworks, Cerebras, Vercel, Netlify, npm, Prefect, E2B, Alibaba
  ['0-9A-Za-z', 20, 'gsk_ xai- pplx- r8_ fw_ csk- vcp_ vck_ vci_ vca_ vcr_ nfp_ npm_ pnu_ e2b_ LTAI'],
  // NVIDIA, Together, LangSmith, Pinecone, Tavily, Google, Supabase, Jina, Figma, Docker, PyPI
  ['\\w-', 20, 'nvapi- tgp_v1_ lsv2_pt_ lsv2_sk_ pcsk_ tvly- AIza GOCSPX- sb_secret_ jina_ figd_'],
  ['\\w-', 20, 'dckr_pat_ dckr_oat_ pypi-'],
  ['\\w.-', 20, 'AQ. ya29. 1//0'],
  // Hugging Face
  ['0-9A-Za-z', 30, 'hf_ api_org_'],
  // AWS: access keys, and Bedrock's long-term and short-term keys
  ['0-9A-Z', 16, 'AKIA ASIA ABIA ACCA A3T'],
  ['0-9A-Za-z+/=', 30, 'ABSK bedrock-api-key-'],
  // Stripe, webhook secrets, Square, Brevo, Shopify, Duffel, SendGrid
  ['0-9A-Za-z', 16, 'sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_'],
  ['0-9A-Za-z+/=', 24, 'whsec_'],
  ['\\w-', 22, 'sq0atp- sq0csp- xkeysib- shpat_ shpca_ shppa_ shpss_ duffel_live_ duffel_test_'],
  ['\\w.-', 32, 'SG.'],
  // GitHub, whose newest tokens contain a JSON web token, and GitLab
  ['\\w.-', 36, 'ghp_ gho_ ghu_ ghs_ ghr_'],
  ['\\w', 30, 'github_pat_'],
  ['\\w.-', 20, 'glpat- gldt- glft- glffct- glimt- glagent- gloas- glptt- glrt- glrtr- glcbt- glsoat-'],
  ['\\w.-', 20, 'GR1348941'],
  // Databricks, DigitalOcean, Firecrawl, Sentry, Shippo, Pulumi, RubyGems, ElevenLabs, Postman
  ['0-9a-fA-F', 32, 'dapi doapi dop_v1_ doo_v1_ dor_v1_ fc- sntryu_ shippo_live_ pul- rubygems_ sk_'],
  ['0-9a-f-', 50, 'PMAK-'],
  // Cloudflare, Supabase, Linear, Notion, PostHog, New Relic, Contentful
  ['0-9A-Za-z', 27, 'cfk_ cfut_ cfat_ sbp_ lin_api_ lin_oauth_ ntn_ secret_ phx_ NRAK- CFPAT-'],
  // Grafana, Heroku, Atlassian, Fly, Sentry, PlanetScale
  ['\\w+/=-', 32, 'glc_ glsa_ HRKU-AA ATATT3 ATCTT3 fo1_ fm1r_ fm1a_ fm2_ sntrys_ pscale_tkn_ pscale_pw_'],
  // Slack
  ['\\w-', 10, 'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.xoxb- xoxe.xoxp- xapp-'],
  // 1Password, Artifactory, Facebook, age
  ['0-9A-Za-z+/=', 40, 'ops_eyJ AKCp cmVmd EAAM EAAC AGE-SECRET-KEY-1'],
  // Vault, Doppler, Dynatrace, Infracost, Tailscale, ReadMe, Typeform
  ['\\w.-', 24, 'hvs. hvb. hvr. dp.pt. dp.st. dp.sa. dp.ct. dt0c01. ico- tskey- rdme_ tfp_'],
]

const words = (text: string) => text.trim().split(/\s+/).join('|')

/** Vendors and other words before `key` in names of secrets, such as `MISTRAL_KEY`. */
const keysOf = words(`
  openai anthropic azure gemini google mistral cohere deepseek exa groq elevenlabs openrouter perplexity xai
  access account admin api app application auth consumer encrypted encryption function functions host insert
  license master private role sas secret service session shared signing subscription virtual write`)

/** Words before `token` in names without a secret, such as `next_page_token`. */
const tokensOf = words(`
  audio bos cached cls completion continuation end eos first image input last mask max min new next output pad page
  per prompt reasoning sep special start stop sync text total unk`)

/** Ends of names of secrets, in lower case without dashes and underscores. */
export const secretEnds = `(?<!${tokensOf})token|(?:${keysOf})key|secret|authorization|passphrase|password`

/** Whole names of secrets. Excludes `session_id` and `signature`, which are part of the API. */
export const secretNames = words(`
  auth basicauth bearer connectionstring cookie credential credentials heliconeauth jwt key passwd pwd setcookie sig
  secwebsocketprotocol xauth xamzcredential xamzsignature xgoogcredential xgoogsignature xjfrogartapi
  cfaccessjwtassertion xgoogiapjwtassertion xmsauthorizationauxiliary xvercelprotectionbypass xsentryauth
  xhoneycombteam xappwritejwt`)
