/**
 * Hides secrets in calls that are printed or leave the process: in the journal over HTTP, files of failed tests, HAR
 * files, the log, explanations, reports and recordings. All of these use the same names and patterns.
 */
import { isPlain } from '../lib/copy.ts'
import { equal } from '../lib/equal.ts'

/** Match names of secrets. Exclude `session_id` and `signature`, which are part of the API. */
const wholeNames = [
  /^(?:auth|basicauth|bearer|connectionstring|cookie|credentials?|heliconeauth|jwt|key|passwd|pwd)$/,
  /^(?:secwebsocketprotocol|setcookie|sig|x(?:amz|goog)(?:credential|signature))$/,
]

/** Excludes names such as `max_output_tokens`, `next_page_token` and `idempotency-key`. */
const nameEnd =
  /(?:(?<!page|next|continuation|sync|start|end|stop|bos|eos|pad|unk|mask|special)token|(?:access|account|api|auth|encrypted|encryption|functions|master|private|sas|secret|shared|signing|subscription)key|secret|authorization|passphrase|password)$/

export const hidden = '(hidden)'

/** Returns a name in lower case without dashes and underscores. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

/** Returns true if a header, query parameter or JSON field with this name contains a secret. */
export function isSecretName(name: string): boolean {
  const plain = plainName(name)
  return nameEnd.test(plain) || wholeNames.some((name) => name.test(plain))
}

/** Returns the text that replaces a secret. Default: `hidden`. */
type Mark = (secret: unknown) => string
const hide: Mark = () => hidden

/** Copies a JSON value or headers with secrets hidden. Only plain objects, arrays and strings are changed. */
export function hideInValue<Value>(value: Value, mark?: Mark): Value
export function hideInValue(value: unknown, mark = hide): unknown {
  if (typeof value === 'string') return hideInString(value, mark)
  if (Array.isArray(value)) return value.map((item) => hideInValue(item, mark))
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value
  const shown = (name: string, inner: unknown) =>
    isSecretName(name) && inner !== undefined ? mark(inner) : hideInValue(inner, mark)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shown(name, inner)]))
}

/** @param search URL query, with or without the question mark, or a form body. */
export function hideInQuery(search: string): string {
  const shown = search.split('&').map((pair) => {
    const [name = ''] = pair.split('=')
    return isSecretName(decoded(name.replace(/^\?/, ''))) ? `${name}=${hidden}` : pair
  })
  return hideInString(shown.join('&'))
}

/** Hides secrets in text: in JSON by names and patterns, in other text, such as truncated JSON, by patterns. */
export function hideInText(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    const shown = hideInValue(value)
    return equal(value, shown) ? text : JSON.stringify(shown)
  } catch {
    return hideInString(text)
  }
}

export function hideInString(text: string, mark = hide): string {
  // Text this short is assumed not to contain both a name and a value.
  if (text.length < 8) return text
  for (const pattern of secretPatterns) {
    let shown = ''
    let from = 0
    for (const { start, end } of secretsIn(text, pattern)) {
      shown += text.slice(from, start) + mark(text.slice(start, end))
      from = end
    }
    if (from > 0) text = shown + text.slice(from)
  }
  return text
}

export interface SecretPattern {
  /** Name of this kind of secret. Findings show the name, never the value. */
  readonly kind: string
  /**
   * Regular expression with the `g` flag. The secret is the `secret` group if there is one, otherwise the whole
   * match. Lookaheads must be bounded.
   */
  readonly expression: RegExp
  /**
   * Returns true if a match with a `name` group is a secret. Default: all matches are.
   *
   * @param after Text after the value.
   */
  readonly accepts?: (name: string, value: string, after: string) => boolean
}

/** Number of characters to search at once. A match of several million characters overflows the stack. */
const sliceLength = 256 * 1024
/** Number of characters that a slice shares with the next one, so that neither misses a secret. */
const overlap = 16 * 1024

/** Yields a pattern's matches, in order. A secret longer than a slice ends at the next quote or space. */
export function* secretsIn(text: string, { kind, expression, accepts }: SecretPattern) {
  let next = 0
  for (let from = 0; from < text.length; from = next) {
    const slice = text.slice(from, from + sliceLength)
    const isLast = from + sliceLength >= text.length
    next = isLast ? text.length : from + sliceLength - overlap
    // Most text has no secrets, and one search takes a tenth of the time of finding all matches.
    if (slice.search(expression) < 0) continue
    for (const match of slice.matchAll(expression)) {
      // The first character of a slice belongs to the previous one.
      if (match.index === 0 && from > 0) continue
      const { secret = match[0], name } = match.groups ?? {}
      const isCut = !isLast && match.index + match[0].length === slice.length
      const start = from + match.index + match[0].lastIndexOf(secret)
      const end = isCut ? endOfLongSecret(text, start) : start + secret.length
      if (name !== undefined && accepts && !accepts(name, secret, text.slice(end, end + 64))) continue
      yield { start, end, kind: name ? `${kind} ${name}` : kind }
      next = Math.max(next, end - 1)
    }
  }
}

function endOfLongSecret(text: string, start: number): number {
  const delimiters = text[start - 1] === '"' ? /"/g : /["\s]/g
  delimiters.lastIndex = start
  return delimiters.exec(text)?.index ?? text.length
}

/** Patterns for keys with a known format, and for values in places where secrets are expected. */
export const keyPatterns: readonly SecretPattern[] = [
  { kind: 'api key (sk-)', expression: /\bsk-(?=[\w-]{0,64}\d)[A-Za-z0-9_-]{20,}/g },
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
  { kind: 'JSON web token', expression: /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g },
  {
    kind: 'private key',
    expression:
      /-----BEGIN [A-Z ]*PRIVATE KEY-----(?<secret>(?:(?!-----)[^"])+)-----END [A-Z ]*PRIVATE KEY-----/g,
  },
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

const nameGroup = '(?<name>[\\w-]{1,64})'

/** Creates patterns for values with secret names in JSON (also in JSON strings), forms, URLs and HAR files. */
export function namePatterns(isSecret: (name: string) => boolean): SecretPattern[] {
  const accepts: SecretPattern['accepts'] = (name, value, after) =>
    isSecret(name) && isSecretValue(name, value, after)
  const pattern = (kind: string, source: string): SecretPattern => ({
    kind,
    expression: new RegExp(source.replace('NAME', nameGroup), 'g'),
    accepts,
  })
  return [
    pattern('field', '"NAME"\\s*:\\s*"(?<secret>(?:\\\\.|[^"\\\\])+)(?:"|$)'),
    pattern('field', '(?<!\\\\)(?<q>\\\\{1,31}")NAME\\k<q>\\s*:\\s*\\k<q>(?<secret>[^"\\\\]+)(?:\\k<q>|$)'),
    pattern('parameter', '(?:^|[?&])NAME=(?<secret>[^&#\\s"\'\\\\]+)'),
    pattern('header', '"name"\\s*:\\s*"NAME"\\s*,\\s*"value"\\s*:\\s*"(?<secret>(?:\\\\.|[^"\\\\])+)(?:"|$)'),
  ]
}

/** `key` and `token` have other meanings, as in `logprobs`, so their values are secrets only if they look like keys. */
function isSecretValue(name: string, value: string, after: string): boolean {
  const plain = plainName(name)
  if (plain !== 'key' && plain !== 'token') return true
  if (/\s/.test(value)) return false
  if (plain === 'token') return value.length >= 8 && !/^\\*"\s*,\s*\\*"(?:logprob|bytes)\\*"/.test(after)
  // Recording keys, which are not secret, are 16 hexadecimal digits.
  return value.length >= 12 && /\d/.test(value) && !/^[0-9a-f]{16}$/.test(value)
}

const secretPatterns: readonly SecretPattern[] = [...keyPatterns, ...namePatterns(isSecretName)]

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}
