/** Reads the cassettes of VCR for Python and Ruby, in YAML and JSON. */
import type { ScalarTag, Tags } from 'yaml'
import * as z from 'zod'
import { parseDataText } from '../../lib/data-file.ts'
import { isObject } from '../../lib/json.ts'
import { check } from '../../lib/schema-messages.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { bytesOfBase64, type Entry, entriesIn, toUrl } from './import-reply.ts'
import { firstProblem } from './recording.ts'

const encoder = new TextEncoder()

/** A header has one value or a list, whose values may be binary. */
const Headers = z.lazy(() => z.record(z.string(), z.unknown()).nullish())

const Status = z.lazy(() => z.union([z.int(), z.looseObject({ code: z.int() })]))

/** One recorded exchange. Its other fields depend on the tool, its version and its serializer. */
const Interaction = z.lazy(() =>
  z.looseObject({
    request: z.looseObject({ method: z.string().toUpperCase(), uri: z.string(), headers: Headers }),
    response: z.looseObject({ status: Status.optional(), status_code: Status.optional(), headers: Headers }),
  }),
)

/** Maximum number of tokens in YAML. The parser takes up to 3 s for them. */
const maxTokens = 500_000

export function readCassette(text: string, file: string): (() => Entry)[] {
  const { value } = parseDataText(file, text, tagsOfCassettes, maxTokens)
  const { interactions, http_interactions, requests, responses } = isObject(value) ? value : {}
  const replies = Array.isArray(responses) ? responses : []
  // A serializer of LangChain stores requests and responses in two lists.
  const split = Array.isArray(requests) && requests.map((request, at) => ({ request, response: replies[at] }))
  const entries = interactions ?? http_interactions ?? split
  if (!Array.isArray(entries))
    throw new UsageError(`${file}: is not a VCR cassette, because it has no interactions`)
  return entriesIn(entries, file, toEntry)
}

function toEntry(value: unknown): Entry {
  const { data, error } = check(Interaction, value)
  if (!data) throw new UsageError(`not an HTTP exchange (${firstProblem(error)})`)
  const { request, response } = data
  return {
    method: request.method,
    url: toUrl(request.uri),
    read() {
      const found = response.status ?? response.status_code
      if (found === undefined) throw new UsageError('has no status')
      const status = typeof found === 'number' ? found : found.code
      return {
        request: { headers: pairsOf(request.headers), body: contentOf(request) },
        reply: { status, headers: pairsOf(response.headers), body: contentOf(response) },
      }
    },
  }
}

function contentOf({ parsed_body: parsed, body, content }: Record<string, unknown>) {
  if (parsed === undefined || parsed === null) return bytesOf(body ?? content)
  return encoder.encode(JSON.stringify(parsed))
}

/** An object without VCR's fields is a body that a serializer parsed. */
function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string') return encoder.encode(body)
  if (isObject(body) && typeof body['base64_string'] === 'string') return bytesOfBase64(body['base64_string'])
  if (isObject(body) && 'string' in body) return bytesOf(body['string'])
  return encoder.encode(JSON.stringify(body))
}

function pairsOf(headers: z.output<typeof Headers>) {
  return Object.entries(headers ?? {}).map(([name, values]) => ({
    name,
    value: [values].flat().map((value) => new TextDecoder().decode(bytesOf(value))),
  }))
}

/** VCR for Ruby has its own tag for binary bodies. */
const tags: ScalarTag[] = [
  ...['!binary', 'tag:yaml.org,2002:binary'].map((tag) => ({
    tag,
    resolve: (text: string) => ({ base64_string: text }),
  })),
  { tag: 'tag:yaml.org,2002:int', default: true, test: /^[-+]?(?:0|[1-9]\d*)$/, resolve: Number },
  {
    tag: 'tag:yaml.org,2002:float',
    default: true,
    test: /^[-+]?(?:\d+\.\d*|\.\d+)(?:e[-+]\d+)?$/i,
    resolve: Number,
  },
]

/** Returns the tags of YAML 1.1, which both tools write. In YAML 1.1, `08` and `1e5` are text. */
function tagsOfCassettes(known: Tags): Tags {
  const others = known.filter((tag) => typeof tag === 'string' || !/:(int|float)$/.test(tag.tag))
  return [...others, ...tags]
}
