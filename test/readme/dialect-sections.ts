/**
 * The generated tables of dialects: what each has in the place of our words, and what it has beside our fields.
 */
import type { Dialect, Fields, FieldValue } from '../../src/extras/dialects/dialect.ts'
import { dialects } from '../../src/extras/dialects/index.ts'
import { table } from './table.ts'

export const dialectSections: Record<string, () => string> = Object.fromEntries(
  dialects.map((dialect) => [`dialect/${dialect.name}`, () => sectionOf(dialect)]),
)

function sectionOf(dialect: Dialect): string {
  const { name, source, extensions, words, headers = [], errors = {}, onRequest = [] } = dialect
  const asked = onRequest.flatMap(({ replies, events }) => [
    ...fieldRows(replies, 'reply, on request'),
    ...fieldRows(events, 'event, on request'),
  ])
  return [
    `\`${name}\`: facts from ${source}. Extensions that are on with it: ${extensions.map(code).join(', ')}.`,
    table(
      ['Ours', 'Theirs', 'In requests at', 'In replies at'],
      words.map(({ ours, theirs, request = [], reply = [] }) => [
        code(ours),
        code(theirs),
        request.map(code).join(', '),
        reply.map(code).join(', '),
      ]),
    ),
    table(
      ['Operation', 'Where', 'Field beside ours', 'Value'],
      [
        ...fieldRows(dialect.requests, 'request, where it has none'),
        ...fieldRows(dialect.replies, 'reply'),
        ...fieldRows(dialect.events, 'event'),
        ...asked,
      ],
    ),
    table(
      ['What else', 'Theirs'],
      [
        ...onRequest.map(({ headers: names, value }) => [
          'Headers that ask for what is on request',
          names.map((each) => code(`${each}: ${value}`)).join(', '),
        ]),
        ['Headers that are taken', headers.map(code).join(', ')],
        ['First line of a stream', code(`: ${dialect.comment}`)],
        ['`gateway_metadata` of the error envelope', code(dialect.errorMetadata ?? 'gateway_metadata')],
        ...Object.entries(errors).map(([status, text]) => [`Usual text of ${status}`, text]),
      ],
    ),
  ].join('\n\n')
}

/** Operations with the same fields share their rows. */
function fieldRows(byOperation: Readonly<Record<string, Fields>> = {}, where: string): string[][] {
  const operations = new Map<string, string[]>()
  for (const [operation, fields] of Object.entries(byOperation))
    for (const [path, value] of Object.entries(fields)) {
      const row = JSON.stringify([path, inCell(value)])
      operations.set(row, [...(operations.get(row) ?? []), operation])
    }
  return [...operations].map(([row, names]) => {
    const [path, value] = JSON.parse(row) as [string, string]
    return [names.map(code).join(', '), where, code(path), value]
  })
}

function inCell(field: FieldValue): string {
  return 'value' in field ? code(JSON.stringify(field.value)) : `worked out: ${field.from}`
}

function code(text: string): string {
  return `\`${text}\``
}
