/**
 * Requests of curl commands, as people copy them from browsers and documents. A command has no reply, so its tape has
 * none either: it is a question to record, or the request of a capture.
 */
import type { TapeRequest } from '../tapes/tape.ts'
import { toContent } from '../tapes/tape.ts'
import { ImportError } from './import-error.ts'
import { shellCommands } from './shell-words.ts'

/** Options with a value that does not change the request. */
const ignoredWithValue = new Set([
  '--cacert',
  '--cert',
  '--connect-timeout',
  '--http',
  '--interface',
  '--key',
  '--max-time',
  '--output',
  '--proxy',
  '--resolve',
  '--retry',
  '--retry-delay',
  '--retry-max-time',
  '--write-out',
  '--dump-header',
  '--limit-rate',
  '--tls-max',
  '--ciphers',
  '--cookie-jar',
  '--trace',
  '--trace-ascii',
  '--stderr',
  '--unix-socket',
  '--max-redirs',
])
const shortWithValue: Record<string, string> = {
  X: '--request',
  H: '--header',
  d: '--data',
  A: '--user-agent',
  u: '--user',
  b: '--cookie',
  e: '--referer',
  o: '--output',
  m: '--max-time',
  x: '--proxy',
  w: '--write-out',
  F: '--form',
  T: '--upload-file',
  c: '--cookie-jar',
  D: '--dump-header',
  E: '--cert',
  K: '--config',
}
const refused = new Set(['--form', '--form-string', '--upload-file', '--config', '--next'])
const withValue = new Set([
  '--request',
  '--header',
  '--data',
  '--data-raw',
  '--data-binary',
  '--data-ascii',
  '--data-urlencode',
  '--json',
  '--user-agent',
  '--user',
  '--cookie',
  '--referer',
  '--url',
  '--oauth2-bearer',
  '--form',
  '--form-string',
  '--upload-file',
  '--config',
  '--url-query',
])

/**
 * The requests of all curl commands in a text. Throws an `ImportError` that says which option cannot be used.
 *
 * @param base What their addresses have before the path: `/api/v1`, or a whole address.
 */
export function importCurl(text: string, file: string, base: string): TapeRequest[] {
  try {
    const commands = shellCommands(text).map((words) => (words[0] === '$' ? words.slice(1) : words))
    const curls = commands.filter(([program = '']) => /(?:^|\/)curl(?:\.exe)?$/.test(program))
    if (curls.length === 0) throw new ImportError('has no curl command')
    return curls.map((words) => toRequest(words.slice(1), base))
  } catch (error) {
    if (error instanceof ImportError) throw new ImportError(`${file}: ${error.message}`)
    throw error
  }
}

interface Curl {
  url: string | undefined
  method: string | undefined
  headers: Record<string, string>
  data: string[]
  query: string[]
  isGet: boolean
}

function toRequest(words: readonly string[], base: string): TapeRequest {
  const curl: Curl = { url: undefined, method: undefined, headers: {}, data: [], query: [], isGet: false }
  const left = words.flatMap(separated)
  while (left.length > 0) {
    const word = left.shift() as string
    if (!word.startsWith('-') || word === '-') {
      curl.url ??= word
      continue
    }
    if (refused.has(word)) throw new ImportError(`${word} cannot be imported: a body must be given as text`)
    if (!withValue.has(word)) {
      if (ignoredWithValue.has(word)) left.shift()
      else if (word === '--get') curl.isGet = true
      else if (word === '--head') curl.method = 'HEAD'
      continue
    }
    const value = left.shift()
    if (value === undefined) throw new ImportError(`${word} has no value`)
    take(curl, word, value)
  }
  return finished(curl, base)
}

/** `-sSXPOST` as its options, `--data=x` as two words. */
function separated(word: string): string[] {
  if (/^--[\w-]+=/.test(word)) {
    const equals = word.indexOf('=')
    return [word.slice(0, equals), word.slice(equals + 1)]
  }
  if (!/^-[^-]/.test(word)) return [word]
  const options: string[] = []
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] as string
    const long = shortWithValue[letter]
    if (long) return at + 1 < word.length ? [...options, long, word.slice(at + 1)] : [...options, long]
    options.push(letter === 'G' ? '--get' : letter === 'I' ? '--head' : `-${letter}`)
  }
  return options
}

function take(curl: Curl, option: string, value: string): void {
  const reads =
    value.startsWith('@') && !['--data-raw', '--url', '--user', '--user-agent', '--request'].includes(option)
  if (reads) throw new ImportError(`${option} ${value} reads a file: write what it holds instead`)
  switch (option) {
    case '--url':
      curl.url = value
      break
    case '--request':
      curl.method = value.toUpperCase()
      break
    case '--header': {
      const [name = '', ...rest] = value.split(':')
      if (rest.length > 0 && rest.join(':').trim() !== '')
        curl.headers[name.trim().toLowerCase()] = rest.join(':').trim()
      break
    }
    case '--json':
      curl.data.push(value)
      curl.headers['content-type'] ??= 'application/json'
      curl.headers['accept'] ??= 'application/json'
      break
    case '--data':
    case '--data-ascii':
      curl.data.push(value.replace(/[\r\n]/g, ''))
      break
    case '--data-raw':
    case '--data-binary':
      curl.data.push(value)
      break
    case '--data-urlencode': {
      // With nothing before it, the equals sign is no part of the data.
      const equals = value.indexOf('=')
      const name = equals > 0 ? value.slice(0, equals + 1) : ''
      curl.data.push(name + encodeURIComponent(value.slice(equals + 1)))
      break
    }
    case '--url-query':
      curl.query.push(value)
      break
    case '--user':
      curl.headers['authorization'] ??= `Basic ${btoa(value)}`
      break
    case '--oauth2-bearer':
      curl.headers['authorization'] ??= `Bearer ${value}`
      break
    case '--user-agent':
      curl.headers['user-agent'] ??= value
      break
    case '--cookie':
      curl.headers['cookie'] ??= value
      break
    case '--referer':
      curl.headers['referer'] ??= value
  }
}

function finished({ url, method, headers, data, query, isGet }: Curl, base: string): TapeRequest {
  if (url === undefined) throw new ImportError('a curl command has no address')
  const address = URL.parse(/^[a-z]+:\/\//i.test(url) ? url : `http://${url}`)
  if (!address) throw new ImportError(`'${url}' is no address`)
  const path = below(address, base)
  const more = [...query, ...(isGet ? data : [])].join('&')
  const search = more === '' ? address.search : `${address.search === '' ? '?' : `${address.search}&`}${more}`
  const body = isGet ? '' : joinData(data, headers['content-type'])
  if (body !== '') headers['content-type'] ??= 'application/x-www-form-urlencoded'
  return {
    method: method ?? (body === '' ? 'GET' : 'POST'),
    path,
    query: search,
    headers,
    ...toContent(new TextEncoder().encode(body)),
  }
}

/** Several pieces of JSON follow on one another, several pieces of a form are joined. */
function joinData(data: readonly string[], type: string | undefined): string {
  return data.join(type?.includes('json') ? '' : '&')
}

function below(url: URL, base: string): string {
  const whole = url.origin + url.pathname
  const prefix = base.replace(/\/$/, '')
  const at = /^https?:/.test(base)
    ? whole.startsWith(`${prefix}/`)
      ? 0
      : -1
    : whole.indexOf(`${prefix}/`, url.origin.length)
  if (at < 0) throw new ImportError(`${whole} is not below ${base}: give --base`)
  return whole.slice(at + prefix.length)
}
