/** A call in the journal as plain data, optionally with secrets hidden. */
import * as z from 'zod'
import { type AssumptionName, assumptions } from '../assumptions.ts'
import { GatewayError } from '../http/errors.ts'
import { lowerCase } from '../http/header-record.ts'
import { hideInText, hideInValue } from '../http/secrets.ts'
import { isPlain } from '../lib/copy.ts'
import { meantBy } from '../lib/did-you-mean.ts'
import { isObject } from '../lib/json.ts'
import { truncate } from '../lib/one-line.ts'
import { isRegExp, shown } from '../lib/schema-messages.ts'
import { explainNearMisses, NearMiss } from '../scenarios/near-misses.ts'
import { TurnReading } from '../scenarios/script-runs.ts'
import type { CallRecord } from './call-record.ts'
import { CallUsage } from './ledger.ts'

const KeptText = z.lazy(() =>
  z.strictObject({
    text: z.string().describe('The body, or its beginning if it was truncated.'),
    truncatedBytes: z.int().describe('Number of bytes that were not stored.'),
  }),
)
type KeptText = z.output<typeof KeptText>

/** A rule that produced or changed a call's reply. */
export const AppliedRule = z.lazy(() =>
  z.strictObject({
    scenario: z.string().describe("Name of the rule's scenario, or of a recording's file."),
    index: z.int().describe("The rule's 1-based position in the scenario."),
    name: z.string().nullable().describe("The rule's name; null if it has none."),
    kind: z.enum(['answer', 'modifier']).describe('`modifier` if the rule only changed the reply.'),
    faults: z.array(z.string()).describe("Names of the rule's faults."),
  }),
)
export type AppliedRule = z.output<typeof AppliedRule>

const text = () => z.string()
const Milliseconds = z.lazy(() => z.number().nullable())
const Headers = z.lazy(() => z.record(text(), text()))

export const JournalEntry = z.lazy(() =>
  z
    .strictObject({
      id: text().describe("The reply's `x-request-id`."),
      operation: text().nullable().describe('Operation id; null if no operation handled the request.'),
      method: text().describe('Method in upper case.'),
      path: text().describe('Path as requested.'),
      params: z.record(text(), text()).describe('Path parameters by name, decoded.'),
      query: z
        .record(text(), z.union([text(), z.array(text())]))
        .describe('Query parameters by name. Repeated parameters are arrays.'),
      headers: Headers.describe('Request headers; names in lower case.'),
      body: z
        .unknown()
        .optional()
        .describe('Parsed request body; undefined if it is truncated or not valid JSON.'),
      requestText: KeptText.describe('Request body. Not stored if too large, compressed or not UTF-8.'),
      status: z.int().describe('HTTP status; 0 if the connection closed without a response.'),
      error: text().nullable().describe("The reply's error message; null if the request was not rejected."),
      responseHeaders: Headers.describe('Reply headers; names in lower case.'),
      responseBody: KeptText.describe('Reply body, up to the last byte sent.'),
      timeline: z
        .array(
          z.strictObject({
            ms: z.number().describe('Real time since the request arrived, in milliseconds.'),
            offset: z.int().describe('Byte offset in the body.'),
          }),
        )
        .describe("Times at which the reply body's chunks were sent. Empty for a reply sent in one piece."),
      rules: z.array(AppliedRule).describe('Rules that affected the reply. The rule that replied is first.'),
      turn: TurnReading.nullable().describe('Turn and conversation, if a script replied; otherwise null.'),
      nearMisses: z
        .array(NearMiss)
        .describe(
          'If no rule replied, the newest 100 rules that did not apply; a final item counts the rest.',
        ),
      usage: CallUsage.nullable().describe("The reply's tokens and cost; null if usage is not counted."),
      traceId: text().nullable().describe('Trace id from `traceparent`; null if missing or invalid.'),
      assumptions: z
        .array(z.enum(Object.keys(assumptions) as [AssumptionName, ...AssumptionName[]]))
        .describe('Assumptions that the reply depends on.'),
      warnings: z.array(text()).describe('Warnings. The reply header lists only broken rules.'),
      brokenRules: z
        .array(
          z.strictObject({
            rule: text().describe('Name of the rule.'),
            param: text().describe('Path in the body, such as `messages[2].tool_calls`.'),
            message: text().describe("The vendor's message."),
          }),
        )
        .nullable()
        .describe(
          'Broken rules; null if a recording, `body`, `frames`, an error or `onlySpecified` prevented the check.',
        ),
      schemaViolation: z.boolean().describe('If true, the reply violated its schema: a bug to report.'),
      delivery: z
        .enum(['pending', 'held-by-gate', 'complete', 'aborted-by-fault', 'aborted-by-client'])
        .describe(
          'Outcome of the delivery: `pending` while the reply is being prepared or sent, `held-by-gate` while a gate holds the request or its stream, `aborted-by-fault` if a fault or an error cut it off, `aborted-by-client` if the client disconnected first.',
        ),
      timestamp: text().describe('Sandbox time of arrival, ISO 8601.'),
      elapsedMs: z
        .number()
        .describe(
          "Elapsed time from the sandbox's start to the arrival, in milliseconds: real time multiplied by `timeScale`.",
        ),
      durationMs: Milliseconds.describe('Real time until the last byte, in milliseconds; null until then.'),
      firstByteMs: Milliseconds.describe("Real time until the body's first byte; null until then."),
    })
    .meta({ id: 'JournalEntry', description: 'A request and its reply.' }),
)
export type EntryFields = z.output<typeof JournalEntry>

export interface JournalEntry<Body = unknown> extends EntryFields {
  /** The parsed request body; undefined if it is empty, truncated or not JSON. */
  body: Body
}

export type Delivery = EntryFields['delivery']

/** Throws for unknown fields and regular expressions, which would silently match nothing. */
export function readMatch<Match>(match: Match): Match {
  if (match === undefined) return match
  if (typeof match !== 'object' || match === null)
    throw new TypeError(`match must be an object such as { body: { model: 'a/b' } }, got ${shown(match)}`)
  // A test runner's asymmetric matchers are opaque.
  if (Object.getPrototypeOf(match) !== Object.prototype) return match
  const names = Object.keys(JournalEntry._zod.innerType.shape)
  const unknown = Object.keys(match).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const hint =
      meantBy(unknown, names) || `; to match the body, write { body: { ${truncate(unknown, 100)}: … } }`
    throw new GatewayError(400, `A call has no field ${shown(unknown)}${hint}`)
  }
  assertNoRegExp(match)
  const { headers } = match as { headers?: Record<string, string> }
  return isObject(headers) && isPlain(headers) ? { ...match, headers: lowerCase(headers) } : match
}

function assertNoRegExp(value: unknown): void {
  if (isRegExp(value))
    throw new TypeError(`a RegExp (${value}) is not supported; write expect.stringMatching(${value})`)
  if (isObject(value) && (Array.isArray(value) || isPlain(value)))
    Object.values(value).forEach(assertNoRegExp)
}

/** Maximum number of near misses per entry. Keeps a thousand entries within the maximum string length. */
const maxNearMisses = 100

/** Converts a record to an entry. Modifying the entry does not change the journal. */
export function toEntry(record: CallRecord): JournalEntry {
  const { requestBody, responseBody, startedAt, firstByteAt, endedAt } = record
  return {
    id: record.id,
    operation: record.operation ?? null,
    method: record.method,
    path: record.path,
    params: { ...record.params },
    query: queryOf(record.search),
    headers: { ...record.headers },
    body: record.body,
    requestText: { text: requestBody.text, truncatedBytes: requestBody.truncatedBytes },
    status: record.status,
    error: record.error ?? null,
    responseHeaders: { ...record.responseHeaders },
    responseBody: { text: responseBody.text, truncatedBytes: responseBody.truncatedBytes },
    timeline: record.timeline.map((part) => ({ ...part })),
    rules: record.rules.map((rule) => ({ ...rule })),
    turn: record.turn ? { ...record.turn } : null,
    // Lazy, because formatting the reasons for a thousand rules is slow.
    get nearMisses() {
      return record.isAnswered ? [] : nearMissesOf(record, maxNearMisses)
    },
    usage: record.usage ? { ...record.usage } : null,
    traceId: record.traceId ?? null,
    assumptions: [...record.assumptions],
    warnings: [...record.warnings],
    brokenRules: record.brokenRules?.map((each) => ({ ...each })) ?? null,
    schemaViolation: record.schemaViolation,
    delivery: record.deliveryNow,
    timestamp: new Date(record.at).toISOString(),
    elapsedMs: roundedMs(record.elapsedMs),
    durationMs: elapsed(startedAt, endedAt),
    firstByteMs: elapsed(startedAt, firstByteAt),
  }
}

export function nearMissesOf(record: CallRecord, limit?: number): NearMiss[] {
  const { skipped, params, query, headers, body, asksForStream } = record
  return explainNearMisses(skipped, { params, query, headers, body, asksForStream }, limit)
}

function queryOf(search: string): JournalEntry['query'] {
  const groups = Object.groupBy(new URLSearchParams(search), ([name]) => name)
  const fields = Object.entries(groups).map(([name, pairs = []]) => {
    const [first = '', ...more] = pairs.map(([, value]) => value)
    return [name, more.length > 0 ? [first, ...more] : first] as const
  })
  return Object.fromEntries(fields)
}

export function hiddenEntry<Fields extends Partial<JournalEntry>>(
  entry: Fields,
  mark?: (secret: unknown) => string,
): Fields {
  const { requestText, responseBody, ...rest } = entry
  return {
    ...entry,
    ...hideInValue(rest, mark),
    ...(requestText && { requestText: hideInKept(requestText) }),
    ...(responseBody && { responseBody: hideInKept(responseBody) }),
  }
}

/** Hides secrets in a stored body. In an expected value, the text may be an asymmetric matcher instead. */
function hideInKept(kept: KeptText): KeptText {
  return typeof kept.text === 'string' ? { ...kept, text: hideInText(kept.text) } : kept
}

export function elapsed(from: number, to: number | undefined): number | null {
  return to === undefined ? null : roundedMs(to - from)
}

function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
