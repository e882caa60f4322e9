/**
 * What is hidden of a call wherever it leaves the process or is printed: the journal over HTTP, HAR files, the log,
 * explanations, reports, tapes. One list of exact names; a value is hidden whole.
 */

/** Names in lower case. */
export const secretHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'api-key',
  'x-api-key',
  'x-goog-api-key',
  'x-auth-token',
  'x-understudy-token',
])

/** Query parameters, fields of JSON at every depth. `max_output_tokens` is none of them. */
export const secretFields: ReadonlySet<string> = new Set([
  'key',
  'api_key',
  'apiKey',
  'access_token',
  'token',
  'secret',
  'client_secret',
  'password',
])

/** Stands in the place of a secret. */
export const hidden = '(hidden)'

/** @param name In any case. */
export function isSecretHeader(name: string): boolean {
  return secretHeaders.has(name.toLowerCase())
}

/** Whether a query parameter or a field of JSON holds a secret. */
export function isSecretField(name: string): boolean {
  return secretFields.has(name)
}

/** What to show in the place of a secret. Default: `hidden`. */
type Mark = (secret: unknown) => string
const hide: Mark = () => hidden

/** @param headers With names in any case. */
export function hideInHeaders<Value>(headers: Readonly<Record<string, Value>>, mark = hide) {
  return mapped(headers, (name, value) => (isSecretHeader(name) ? mark(value) : value))
}

/** A copy of a JSON value; whatever is neither a plain object nor a list stays the same one. */
export function hideInValue(value: unknown, mark = hide): unknown {
  if (Array.isArray(value)) return value.map((item) => hideInValue(item, mark))
  if (!isPlain(value)) return value
  return mapped(value, (name, inner) =>
    isSecretField(name) && inner !== undefined ? mark(inner) : hideInValue(inner, mark),
  )
}

/** @param search The query with its question mark, or the empty string: of a URL, or of a form without one. */
export function hideInQuery(search: string): string {
  const shown = search.split('&').map((pair) => {
    const equals = pair.indexOf('=')
    const name = equals < 0 ? pair : pair.slice(0, equals)
    return isSecretField(decoded(name.replace(/^\?/, ''))) ? `${name}=${hidden}` : pair
  })
  return shown.join('&')
}

/**
 * Text with JSON in it: a body whole or cut off, or the lines of an event stream. Everything but the values of secret
 * fields stays as it is; of text that is no JSON, whatever looks like such a field is hidden too.
 */
export function hideInText(text: string): string {
  let shown = ''
  let from = 0
  for (let at = text.indexOf('"'); at >= 0; at = text.indexOf('"', at)) {
    const end = endOfString(text, at)
    const colon = skipBlanks(text, end)
    if (text[colon] !== ':' || !isSecretField(nameIn(text.slice(at, end)))) {
      at = end
      continue
    }
    const value = skipBlanks(text, colon + 1)
    shown += `${text.slice(from, value)}"${hidden}"`
    at = from = endOfValue(text, value)
  }
  return shown + text.slice(from)
}

function mapped<Value, Result>(
  record: Readonly<Record<string, Value>>,
  change: (name: string, value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(name, value)]))
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

/** The name that a JSON string stands for, its escapes resolved. */
function nameIn(string: string): string {
  if (!string.includes('\\')) return string.slice(1, -1)
  try {
    return JSON.parse(string)
  } catch {
    return string
  }
}

/** The place after a string that begins at a quotation mark, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const quote = text.indexOf('"', at)
    // mutation: equivalent: the position is never 0
    if (quote < 0) return text.length
    let escapes = quote
    while (text[escapes - 1] === '\\') escapes--
    if ((quote - escapes) % 2 === 0) return quote + 1
    at = quote
  }
}

const blanks = new Set<string | undefined>(' \t\n\r')

function skipBlanks(text: string, start: number): number {
  let at = start
  while (blanks.has(text[at])) at++
  return at
}

/** The place after a JSON value, or the end of the text. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  // mutation: equivalent: there is nothing behind the end
  for (let at = start; at < text.length; ) {
    const character = text[at] as string
    if (character === '"') at = endOfString(text, at)
    else if ('{['.includes(character)) {
      depth++
      at++
    } else if (depth > 0 && '}]'.includes(character)) {
      depth--
      at++
    } else if (depth === 0 && ',}] \t\n\r'.includes(character)) return at
    else {
      at++
      continue
    }
    if (depth === 0) return at
  }
  return text.length
}
