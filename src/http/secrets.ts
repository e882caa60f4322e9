/** Hides secrets in calls that are printed or leave the process, such as the log, HAR files and recordings. */
import { isPlain } from '../lib/copy.ts'
import { equal } from '../lib/equal.ts'
import { parseJson } from '../lib/json.ts'
import formats from './secret-formats.json' with { type: 'json' }

const anyOf = (words: string) => words.replaceAll(' ', '|')
const { names, ends, wordsBeforeKey, wordsBeforeToken } = formats
/** Excludes names such as `next_page_token`, and `session_id` and `signature`, which are part of the API. */
const secretName = new RegExp(
  [
    `^(?:${anyOf(names)})$`,
    `(?:(?<!${anyOf(wordsBeforeToken)})token|(?:${anyOf(wordsBeforeKey)})key|${anyOf(ends)})$`,
  ].join('|'),
)

export const hidden = '(hidden)'

export function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, '')
}

export function isSecretName(name: string): boolean {
  return secretName.test(plainName(name))
}

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
  const entries = Object.entries(value).map(([name, inner]) => [hideInString(name, mark), shown(name, inner)])
  return Object.fromEntries(entries)
}

/** @param search URL query, with or without the question mark, or a form body. */
export function hideInQuery(search: string): string {
  const shown = search.split('&').map((pair) => {
    const [name = ''] = new URLSearchParams(pair).keys()
    return isSecretName(name) ? `${pair.split('=', 1)}=${hidden}` : pair
  })
  return hideInString(shown.join('&'))
}

/** Hides secrets in text. JSON is searched by name and pattern. Other text, such as streams, is searched by pattern. */
export function hideInText(text: string): string {
  const value = parseJson(text)
  if (value === undefined) return hideInString(mapDeltas(text, masked).replaceAll(/\uffff+/g, hidden))
  const shown = hideInValue(value)
  return equal(value, shown) ? text : JSON.stringify(shown)
}

const masked = (text: string) => hideInString(text, (secret) => '\uffff'.repeat(secret.length))

const deltas =
  /("(delta|content|text|arguments|partial_json|thinking|reasoning|reasoning_content|refusal)": ?")((?:\\.|[^"\\])*)(?=")/g

/** Joins a stream's deltas by field, item, choice and content block, and replaces them with text of equal length. */
export function mapDeltas(stream: string, change: (joined: string) => string): string {
  const texts = new Map<string, string>()
  const edit = (replace: (joined: string, delta: string) => [joined: string, delta: string]) =>
    stream.replace(/^data:.*/gm, (line) => {
      const item = line.match(/index": ?[1-9]\d*/g)?.join() ?? ''
      return line.replace(deltas, (_, start: string, field: string, delta: string) => {
        const [joined, replaced] = replace(texts.get(field + item) ?? '', delta)
        texts.set(field + item, joined)
        return start + replaced
      })
    })
  edit((joined, delta) => [joined + delta, delta])
  for (const [key, joined] of texts) texts.set(key, change(joined))
  return edit((joined, { length }) => [joined.slice(length), joined.slice(0, length)])
}

export function hideInString(text: string, mark: (secret: string) => string = hide): string {
  // Text this short is assumed not to contain both a name and a value.
  if (text.length < 8) return text
  let shown = ''
  let from = 0
  for (const { start, end } of secretsIn(text, secretPatterns)) {
    shown += text.slice(from, start) + mark(text.slice(start, end))
    from = end
  }
  return shown + text.slice(from)
}

export interface SecretPattern {
  readonly kind: string
  /** Must have the `g` flag and bounded lookaheads. The secret is the `secret` group, if any, or the whole match. */
  readonly expression: RegExp
  /** Faster expression to try first. It must match every text that `expression` matches. Default: `expression`. */
  readonly hint?: RegExp
  /** Returns a label for the secret, such as its prefix. Default: the secret's name, if any. */
  readonly label?: (secret: string) => string | undefined
  /** Decides whether a match is a secret, based on its groups and the next 64 characters. Default: all are. */
  readonly accepts?: (secret: string, groups: Record<string, string>, after: string) => boolean
}

interface SecretPlace {
  start: number
  end: number
  readonly kind: string
}

/** Number of characters to search at once. A match of several million characters overflows the stack. */
const sliceLength = 256 * 1024
/** Number of characters that a slice shares with the next one, so that neither misses a secret. */
const overlap = 16 * 1024

/** Returns the positions of secrets in order. Overlapping secrets are joined. */
export function secretsIn(text: string, patterns: readonly SecretPattern[]): SecretPlace[] {
  const places: SecretPlace[] = []
  for (const place of [...allPlaces(text, patterns)].sort((left, right) => left.start - right.start)) {
    const last = places.at(-1)
    if (last && place.start < last.end) last.end = Math.max(last.end, place.end)
    else places.push(place)
  }
  return places
}

/** Also searches text that is percent-encoded once or twice. A secret longer than a slice ends at a quote or space. */
function* allPlaces(text: string, patterns: readonly SecretPattern[]): Generator<SecretPlace> {
  let next = 0
  for (let from = 0; from < text.length; from = next) {
    const slice = text.slice(from, from + sliceLength)
    const isLast = from + sliceLength >= text.length
    next = isLast ? text.length : from + sliceLength - overlap
    for (const view of viewsOf(slice)) {
      for (const pattern of patterns) {
        for (const place of placesIn(view, pattern)) {
          // The first character of a slice belongs to the previous one.
          if (place.start === 0 && from > 0) continue
          const isCut = !isLast && place.end >= slice.length
          const start = from + place.start
          const end = isCut ? endOfLongSecret(text, start) : from + place.end
          yield { start, end, kind: place.kind }
          next = Math.max(next, end - 1)
        }
      }
    }
  }
}

function* placesIn({ text, placeOf }: View, pattern: SecretPattern): Generator<SecretPlace> {
  const { expression, hint = expression, accepts, label, kind } = pattern
  // Most text has no secrets, and one search takes a tenth of the time of finding all matches.
  if (text.search(hint) < 0) return
  expression.lastIndex = 0
  for (let match = expression.exec(text); match; match = expression.exec(text)) {
    const { 0: whole, index, groups = {} } = match
    const { secret = whole, name } = groups
    const start = index + whole.lastIndexOf(secret)
    const end = start + secret.length
    if (secret !== '' && (!accepts || accepts(secret, groups, text.slice(end, end + 64)))) {
      const word = label?.(secret) ?? name
      yield { start: placeOf(start), end: placeOf(end), kind: word ? `${kind} ${word}` : kind }
    }
    // The rest of the match may contain another one.
    else expression.lastIndex = Math.max(start, index + 1)
  }
}

interface View {
  readonly text: string
  placeOf(index: number): number
}

/** Percent-encoding, and the characters that some serialisers escape in JSON unnecessarily. */
const encoded = /%[\da-f]{2}|\\u00[2-7][\da-f](?<!\\u00(?:22|5c))|\\\//gi

export function* viewsOf(text: string): Generator<View> {
  let view: View = { text, placeOf: (index) => index }
  yield view
  for (let times = 0; times < 2 && view.text.search(encoded) >= 0; times++) {
    view = decodedView(view)
    yield view
  }
}

function decodedView({ text, placeOf }: View): View {
  /** Index in `text` of each decoded character, and of the end of the text. */
  const places: number[] = []
  let next = 0
  const decodedText = text.replace(encoded, (code, index: number) => {
    while (next <= index) places.push(next++)
    next = index + code.length
    return code === '\\/' ? '/' : String.fromCharCode(Number.parseInt(code.slice(-2), 16))
  })
  while (next <= text.length) places.push(next++)
  return { text: decodedText, placeOf: (index) => placeOf(places[index] as number) }
}

function endOfLongSecret(text: string, start: number): number {
  const delimiters = text[start - 1] === '"' ? /"/g : /["\s]/g
  delimiters.lastIndex = start
  return delimiters.exec(text)?.index ?? text.length
}

/** Matches parts of names and numbers, as in `sk-fading-circle-12`. Real keys have other parts. */
const word =
  /^(?:v?\d{1,8}[a-z]{0,2}|(?:[A-Z]?[a-z]{1,20}(?:[A-Z][a-z]{2,19}){0,8}|[A-Z]{1,12})?\d{0,4}[a-z]?)$/

function looksRandom(text: string): boolean {
  return text
    .slice(0, 256)
    .split(/[^\dA-Za-z]/)
    .some((part) => !word.test(part))
}

const escapedText = (text: string) => text.replace(/[.+*?/]/g, '\\$&')
const prefixes = formats.keys.flatMap((format) => format.prefixes.split(' ')).sort()
/** Keys without a prefix, such as Azure's 32 hexadecimal digits, are found by the name before them. */
const keySource = formats.keys
  .map(({ alphabet, minLength, prefixes }) => {
    return `(?:${anyOf(escapedText(prefixes))})[${alphabet}]{${minLength},}(?<!\\.)`
  })
  .join('|')
/** A letter or digit before a key is part of it, unless it ends an escape sequence, as in `\nsk-…`. */
const start = '(?<![^\\W_](?<!\\\\[bfnrt]|\\\\u[\\da-f]{4}))'
const keyPattern = (kind: string, key: RegExp, hint = key): SecretPattern => ({
  kind,
  expression: new RegExp(start + key.source, 'g'),
  hint,
})

/** Patterns for keys with a known format, and for values in places where secrets are expected. */
export const keyPatterns: readonly SecretPattern[] = [
  {
    kind: 'API key',
    // Sorted prefixes are compiled to a tree, so this search takes a third of the time of the expression.
    hint: new RegExp(`(?:${prefixes.map(escapedText).join('|')})[\\w.+/=-]{10}`),
    expression: new RegExp(`${start}(?:${keySource})`, 'g'),
    label: (secret) => prefixes.findLast((prefix) => secret.startsWith(prefix)),
    accepts: looksRandom,
  },
  keyPattern('Azure AI key', /[0-9A-Za-z]{40,80}(?:AzureAI|JQQJ99)[0-9A-Za-z]{4,}/, /AzureAI|JQQJ99/),
  keyPattern('Azure client secret', /[\w~.-]{3}\dQ~[\w~.-]{31,34}/, /\dQ~/),
  keyPattern('Terraform token', /[0-9A-Za-z]{14}\.atlasv1\.[\w=-]{20,}/, /\.atlasv1\./),
  keyPattern('Airtable token', /pat[0-9A-Za-z]{14}\.[0-9a-f]{20,}/),
  keyPattern('Mailchimp key', /[0-9a-f]{32}-us\d{1,2}(?![^\W_])/, /[0-9a-f]-us\d/),
  keyPattern('Mailgun key', /(?<!-)(?:pub)?key-[0-9a-f]{32}(?![^\W_])/, /key-[0-9a-f]/),
  keyPattern('Telegram token', /\d{5,16}:A[\w-]{34}(?![\w-])/, /\d:A/),
  keyPattern('Discord token', /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}/, /\.[\w-]{6}\./),
  keyPattern('JSON web token', /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/),
  { kind: 'webhook', expression: /hooks\.slack\.com\/[a-z]+\/(?<secret>[\w/+-]{20,})/g },
  { kind: 'webhook', expression: /discord(?:app)?\.com\/api\/webhooks\/\d+\/(?<secret>[\w-]{40,})/g },
  {
    kind: 'private key',
    expression: /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?<secret>(?:(?!-----)[^"\\]|\\+[^"\\])+)/g,
  },
  {
    kind: 'credentials',
    expression: /\b(?:Basic|Bearer)[\s+]+(?<secret>(?=[\w.~+/=-]*\d)[\w.~+/=-]{16,})/gi,
  },
  {
    kind: 'authorization header',
    expression:
      /\bauthorization["']?[\s+]*[:=][\s+]*["']?(?:Bearer|Basic|Token|ApiKey)[\s+]+(?<secret>[^\s"'\\<>{}$]{8,})/gi,
  },
  {
    kind: 'cookie header',
    expression: /\bcookie: *(?<secret>[^\s"'\\=]+=[^\r\n"'\\]+)/gi,
    accepts: looksRandom,
  },
  // Messages quote the beginning of a long value, which may be a key.
  {
    kind: 'cut value',
    hint: /…|\?'| \.\.\./,
    expression: /(?<![\w.~+/=-])[\w.~+/=-]{24,}(?=…|\?'| \.\.\.)/g,
    accepts: looksRandom,
  },
  { kind: 'password in a URL', expression: /:\/\/[^\s:@/"'\\]*:(?<secret>[^\s:@/"'\\]+)@/g },
]

/** Creates patterns for values with secret names in JSON (even within strings), forms, URLs, HAR files and logs. */
export function namePatterns(isSecret: (name: string) => boolean): SecretPattern[] {
  const pattern = (kind: string, source: string): SecretPattern => ({
    kind,
    expression: new RegExp(source.replace('NAME', '(?<name>[\\w-]{1,64})'), 'gs'),
    accepts: (secret, { name = '' }, after) => isSecret(name) && isSecretValue(name, secret, after),
  })
  // Ends at the same quote, which has backslashes in nested JSON: 1, 3, 7 and so on.
  const untilQuote = '(?<secret>.*?)(?:(?<!\\\\)\\k<quote>|$)'
  return [
    pattern('field', `(?<!\\\\)(?<quote>\\\\{0,31}")NAME\\k<quote>\\s*:\\s*\\k<quote>${untilQuote}`),
    pattern('parameter', '(?:^|[?&]|;\\s?)NAME=(?<secret>[^&#\\s"\'\\\\]+)'),
    pattern('header', `"name"\\s*:\\s*"NAME"\\s*,\\s*"value"\\s*:\\s*(?<quote>")${untilQuote}`),
    {
      kind: 'value',
      // A secret has few equals signs, so that `a=a=a=…` takes time in proportion to its length.
      hint: /(?:key|token|secret|authorization|passphrase|password|passwd|pwd)\\{0,31}["']? {0,4}[ :=]/i,
      expression:
        /\b(?<name>[\w-]{1,64})(?:\\{0,31}["'])?(?: {0,4}(?:=>?|:=?) {0,4}|(?<=--[\w-]{1,64}) )(?:\\{0,31}["'`])?(?<secret>[\w+/.~!@$*^-]+(?:=+[\w+/.~!@$*^-]+){0,3}=*)/g,
      accepts: (secret, { name = '' }, after) => isSecretName(name) && isAssignedSecret(name, secret, after),
    },
  ]
}

/** `key` and `token` have other meanings, as in `logprobs`, so their values are secrets only if they look like keys. */
function isSecretValue(name: string, value: string, after: string): boolean {
  const plain = plainName(name)
  if (/^[*•…]+$/.test(value)) return false
  if (plain !== 'key' && plain !== 'token') return true
  if (/\s/.test(value)) return false
  if (plain === 'token') return value.length >= 8 && !/^\\*"\s*,\s*\\*"(?:logprob|bytes)\\*"/.test(after)
  // Recording keys, which are not secret, are 16 hexadecimal digits.
  return value.length >= 12 && /\d/.test(value) && !/^[0-9a-f]{16}$/.test(value)
}

/** Requires values in prose and code to look like keys. */
function isAssignedSecret(name: string, value: string, after: string): boolean {
  const plain = plainName(name)
  if (plain === 'key' || /^(?:[([{]|<(?!\/))/.test(after)) return false
  return value.length >= (plain === 'token' ? 16 : 8) && looksRandom(value)
}

const secretPatterns: readonly SecretPattern[] = [...keyPatterns, ...namePatterns(isSecretName)]
