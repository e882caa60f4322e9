/**
 * Adds citations to text: links, and annotations that locate them. Spec: `url_citation`. Offsets are in UTF-16 code
 * units, with an exclusive end. A link's annotation spans the whole link.
 */
import type { CitedText } from '../../resources/answer.ts'
import type { UrlCitation } from '../../resources/response.ts'
import { placeOf } from './domains.ts'

/** A page or post found by a search or named by a script. */
export interface Source {
  readonly url: string
  readonly title: string
  /** Excerpt from the page or post. */
  readonly content?: string | undefined
  /** Offsets of the citing text. Default: those of an existing link to the source, or of a link that is added. */
  readonly span?: readonly [start: number, end: number] | undefined
  /** If true, the source shares no word with the question. Default: false. */
  readonly isUnrelated?: boolean | undefined
}

/** Joins pieces of text, and converts sources to links. */
export function joinPieces(pieces: ReadonlyArray<string | Source>): CitedText {
  const annotations: UrlCitation[] = []
  let length = 0
  const texts = pieces.map((piece) => {
    const text = typeof piece === 'string' ? piece : linkTo(piece.url)
    if (typeof piece !== 'string') annotations.push(annotate(piece, length, length + text.length))
    length += text.length
    return text
  })
  return { text: texts.join(''), annotations }
}

/** Adds citations to text: at a source's span, at an existing link to the source, or as a new link at the end. */
export function cite(text: string, sources: readonly Source[]): CitedText {
  const appended: Array<string | Source> = [text]
  const annotations: UrlCitation[] = []
  for (const source of sources) {
    const span = source.span ?? linkSpan(text, source.url)
    if (span) annotations.push(annotate(source, ...span))
    else appended.push(appended.length === 1 && text === '' ? '' : ' ', source)
  }
  const cited = joinPieces(appended)
  annotations.push(...cited.annotations)
  return {
    text: cited.text,
    annotations: annotations.sort((left, right) => left.start_index - right.start_index),
  }
}

/** Returns a link such as `[docs.example.com](https://docs.example.com/start)`. */
export function linkTo(url: string): string {
  return `[${placeOf(url).host}](${inBrackets(url)})`
}

/**
 * Escapes spaces and brackets in a URL, unless its only brackets are balanced parentheses, which do not end a link
 * early.
 */
function inBrackets(url: string): string {
  if (/^(?:[^\s()[\]]|\([^\s()[\]]*\))+$/.test(url)) return url
  return url.replace(/[\s()[\]]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function linkSpan(text: string, url: string): [start: number, end: number] | undefined {
  const target = `](${inBrackets(url)})`
  const [before = '', after] = text.split(target)
  const start = before.lastIndexOf('[')
  if (after === undefined || start < 0 || start + 1 === before.length) return undefined
  return [start, before.length + target.length]
}

function annotate({ url, title, content }: Source, start_index: number, end_index: number): UrlCitation {
  const excerpt = content === undefined ? {} : { content }
  return { type: 'url_citation', url, title, start_index, end_index, ...excerpt }
}
