/**
 * What secrets look like: keys of known vendors, and what stands where a secret belongs. All of them read text that
 * has one character for each byte. The part that is secret is the group `secret`, or the whole match. What one of them
 * looks ahead for is bounded: a text takes time in proportion to its length.
 */
import { secretFields, secretHeaders } from '../http/secrets.ts'

export interface SecretPattern {
  /** What a finding is called; never the value. */
  readonly kind: string
  /** With the flag `g`. */
  readonly expression: RegExp
}

/** Keys that tell by themselves what they are. */
export const keyPatterns: readonly SecretPattern[] = [
  { kind: 'api key (sk-)', expression: /\bsk-(?=[\w-]{0,200}\d)[A-Za-z0-9_-]{20,}/g },
  { kind: 'api key (sk_, rk_)', expression: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g },
  { kind: 'api key (gsk_)', expression: /\bgsk_[A-Za-z0-9]{32,}/g },
  { kind: 'api key (xai-)', expression: /\bxai-[A-Za-z0-9]{32,}/g },
  { kind: 'api key (pplx-)', expression: /\bpplx-[A-Za-z0-9]{32,}/g },
  { kind: 'api key (r8_)', expression: /\br8_[A-Za-z0-9]{32,}/g },
  { kind: 'Hugging Face token', expression: /\bhf_[A-Za-z0-9]{30,}/g },
  { kind: 'AWS access key', expression: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { kind: 'Google API key', expression: /\bAIza[0-9A-Za-z_-]{35}/g },
  { kind: 'Google OAuth token', expression: /\bya29\.[0-9A-Za-z_-]{20,}/g },
  { kind: 'GitHub token', expression: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{50,})/g },
  { kind: 'GitLab token', expression: /\bglpat-[A-Za-z0-9_-]{20,}/g },
  { kind: 'npm token', expression: /\bnpm_[A-Za-z0-9]{36}/g },
  { kind: 'Slack token', expression: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  { kind: 'SendGrid key', expression: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g },
  { kind: 'JSON web token', expression: /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g },
  {
    kind: 'private key',
    expression:
      /-----BEGIN [A-Z ]*PRIVATE KEY-----(?<secret>(?:(?!-----)[\s\S])+)-----END [A-Z ]*PRIVATE KEY-----/g,
  },
]

/** Values that stand where a secret belongs, whatever they look like. */
export const placePatterns: readonly SecretPattern[] = [
  { kind: 'bearer token', expression: /\bBearer\s+(?<secret>(?=[^\s"]*\d)[A-Za-z0-9._~+/=-]{16,})/g },
  {
    kind: 'authorization header',
    expression: /\bauthorization\s*:\s*(?:Bearer|Basic|Token|ApiKey)\s+(?<secret>[^\s"'\\]{8,})/gi,
  },
  {
    kind: 'password in a URL',
    expression: /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:@/"'\\]+:(?<secret>[^\s:@/"'\\]+)@/gi,
  },
]

/** Beside the names that hide a value everywhere, those that only a recording of somebody else's gateway may have. */
const moreFields = [
  'access_key',
  'api_token',
  'auth_token',
  'authorization',
  'bearer_token',
  'credentials',
  'encrypted_key',
  'id_token',
  'passphrase',
  'passwd',
  'private_key',
  'proxy_authorization',
  'refresh_token',
  'secret_access_key',
  'secret_key',
  'session_token',
  'signing_secret',
  'webhook_secret',
]

/** Names that also stand for something else, as the tokens of `logprobs`: only a value that looks like a key counts. */
const doubtful = new Set(['key', 'token'])

/**
 * Patterns for the values of secret fields: in JSON, in JSON inside a JSON string, in forms, URLs and HAR files. Case,
 * dashes and underscores of a name do not matter.
 *
 * @param names Fields beside the known ones.
 */
export function fieldPatterns(names: readonly string[]): SecretPattern[] {
  const all = [...secretFields, ...moreFields, ...names].filter((name) => !doubtful.has(name))
  const name = groupOf(all)
  const headers = groupOf([...secretHeaders, ...all])
  const inJson = '"(?<name>NAMES)"\\s*:\\s*"(?<secret>VALUE(?:\\\\.|[^"\\\\])+)"'
  // The key of a tape itself is sixteen hexadecimal digits.
  const likeKey = '(?![0-9a-f]{16}")(?=[^"\\s]*\\d)(?=[^"\\s]{12})'
  return [
    pattern('field', inJson, name),
    pattern('field', inJson.replace('VALUE', likeKey), groupOf([...doubtful])),
    pattern('field', '(?<q>\\\\{1,31}")(?<name>NAMES)\\k<q>\\s*:\\s*\\k<q>(?<secret>[^"\\\\]+)\\k<q>', name),
    pattern('parameter', '[?&](?<name>NAMES)=(?<secret>[^&#\\s"\'\\\\]+)', name),
    pattern(
      'parameter',
      '[?&](?<name>NAMES)=(?<secret>(?=[^&#\\s"]*\\d)[^&#\\s"\'\\\\]{12,})',
      groupOf([...doubtful]),
    ),
    pattern(
      'header',
      '"name"\\s*:\\s*"(?<name>NAMES)"\\s*,\\s*"value"\\s*:\\s*"(?<secret>(?:\\\\.|[^"\\\\])+)"',
      headers,
    ),
  ]
}

function pattern(kind: string, source: string, names: string): SecretPattern {
  return { kind, expression: new RegExp(source.replace('NAMES', names).replace('VALUE', ''), 'gi') }
}

function groupOf(names: readonly string[]): string {
  const words = names.map((name) =>
    name
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .toLowerCase()
      .replace(/[_-]/g, '[_-]?'),
  )
  return [...new Set(words)].join('|')
}
