/**
 * Removes secrets from an exchange before it is written. Headers are filtered by an allow-list, and everything else
 * is searched. Lengths and split points are preserved. Commands add secrets from the environment, the key in use, and
 * the rules from `--redact`.
 */
import * as z from 'zod'
import { mapDeltas } from '../../http/secrets.ts'
import { fromLatin1, joinBytes, toLatin1 } from '../../lib/bytes.ts'
import { FileError, readCheckedFile } from '../../lib/data-file.ts'
import { compileGlob } from '../../lib/glob.ts'
import { bytesOf, type RecordedRequest, toContent } from './recording.ts'
import type { Exchange } from './recording-files.ts'
import { defaultIgnoreFields, keyPartsOf } from './request-key.ts'
import {
  type FinderSetup,
  isPlaceholder,
  type KnownSecret,
  placeholderFor,
  SecretFinder,
  utf8AsLatin1,
} from './secrets.ts'
import { credentialsOf } from './upstream.ts'

interface RedactionSetup extends FinderSetup {
  /** Headers to keep in addition to the default ones. `*` matches any characters. Default: none. */
  readonly headers?: readonly string[]
  /** Fields to ignore when comparing requests, such as `input` or `query.t`. Default: `defaultIgnoreFields`. */
  readonly ignoreFields?: readonly string[]
}

/** Headers to keep, which contain neither personal data nor keys. */
const allowedHeaders: readonly string[] = [
  'accept',
  'accept-*',
  'allow',
  'anthropic-version',
  'anthropic-beta',
  'cache-control',
  'content-*',
  'idempotency-key-status',
  'openai-beta',
  'openai-processing-ms',
  'openai-version',
  'ratelimit*',
  'retry-after*',
  'server-timing',
  'transfer-encoding',
  'vary',
  'x-ratelimit-*',
  'x-should-retry',
  'x-stainless-retry-count',
  'x-understudy-*',
]

export class Redactor {
  readonly finder: SecretFinder
  readonly ignoreFields: readonly string[]
  readonly #allowed: readonly ((header: string) => boolean)[]

  constructor({ headers = [], ignoreFields = defaultIgnoreFields, ...finder }: RedactionSetup = {}) {
    this.finder = new SecretFinder(finder)
    this.ignoreFields = ignoreFields
    this.#allowed = [...allowedHeaders, ...headers].map((name) => compileGlob(name))
  }

  request(request: RecordedRequest) {
    const kinds = new Set<string>()
    const note = (kind: string) => void kinds.add(kind)
    const { json: _json, text: _text, base64: _base64, ...rest } = request
    const clean: RecordedRequest = {
      ...rest,
      path: this.finder.replace(request.path, note),
      query: this.finder.replace(request.query, note),
      headers: this.headers(request.headers, note),
      ...toContent(fromLatin1(this.finder.replace(toLatin1(bytesOf(request)), note))),
    }
    return { request: clean, parts: keyPartsOf(clean, this.ignoreFields), redacted: [...kinds] }
  }

  headers(headers: Readonly<Record<string, string>>, note?: (kind: string) => void): Record<string, string> {
    const entries = Object.entries(headers).map(([original, value]) => {
      const name = original.toLowerCase()
      if (this.#allowed.some((isLike) => isLike(name)))
        return [name, this.finder.replace(utf8AsLatin1(value), note)]
      if (isPlaceholder(value)) return [name, value]
      note?.(`header ${name}`)
      return [name, placeholderFor(value)]
    })
    return Object.fromEntries(entries)
  }

  /** Redacts secrets even if they are split across chunks or deltas, and keeps the chunks' lengths. */
  chunks(chunks: Exchange['chunks'], note: (kind: string) => void): Exchange['chunks'] {
    const text = toLatin1(joinBytes(chunks.map(({ bytes }) => bytes)))
    const clean = this.finder.replace(
      mapDeltas(text, (joined) => this.finder.replace(joined, note)),
      note,
    )
    let at = 0
    return chunks.map(({ ms, bytes }) => {
      const from = at
      at += bytes.length
      return { ms, bytes: fromLatin1(clean.slice(from, at)) }
    })
  }
}

const names = () => z.array(z.string().min(1)).default([])

const RedactionRules = z.lazy(() =>
  z.strictObject({
    headers: names().describe('Headers to keep, in addition to the default ones.'),
    fields: names().describe('Names of secret JSON fields and parameters.'),
    patterns: z
      .array(z.strictObject({ name: z.string().min(1), matches: z.string().min(1).max(500) }))
      .default([])
      .describe('Regular expressions that match secrets.'),
    values: names().describe('Secret values.'),
    ignoreFields: names().describe(
      'Body fields and query parameters, such as query.t, to ignore in requests.',
    ),
  }),
)

export interface RedactionFlags {
  redact?: string
  ignoreField?: string[]
}

export function toRedactor({ redact, ignoreField = [] }: RedactionFlags, known: readonly KnownSecret[] = []) {
  const rules = redact === undefined ? RedactionRules.parse({}) : readCheckedFile(redact, RedactionRules)
  return new Redactor({
    ...rules,
    patterns: rules.patterns.map(({ name, matches }) => ({
      kind: name,
      expression: toExpression(matches, redact ?? ''),
    })),
    values: [
      ...known,
      ...environmentSecrets(),
      ...rules.values.map((value) => ({ kind: 'a value in the rules', value })),
    ],
    ignoreFields: [...defaultIgnoreFields, ...rules.ignoreFields, ...ignoreField],
  })
}

function toExpression(matches: string, file: string): RegExp {
  try {
    return new RegExp(matches, 'g')
  } catch (error) {
    throw new FileError([{ file, message: (error as Error).message }])
  }
}

/** Minimum length of a known secret. Shorter values could occur by chance. */
const minLength = 8

export function environmentSecrets(environment: NodeJS.ProcessEnv = process.env): KnownSecret[] {
  return Object.entries(environment)
    .filter(([name, value = '']) => /key|token|secret|password/i.test(name) && value.length >= minLength)
    .map(([name, value = '']) => ({ kind: `environment ${name}`, value }))
}

export function upstreamSecrets(upstream: URL, key: string | undefined): KnownSecret[] {
  const credentials = credentialsOf(upstream) ?? ''
  const secrets = [credentials, ...credentials.split(':')]
    .filter((value) => value.length >= minLength)
    .map((value) => ({ kind: "the upstream's credentials", value }))
  return key === undefined ? secrets : [{ kind: 'the key in use', value: key }, ...secrets]
}
