/**
 * Text that cites: the links in it, and the annotations that say where they are. Spec: `url_citation`.
 * Offsets count UTF-16 units, the end exclusive, and span the whole link.
 */
import type { CitedText } from '../../resources/answer.ts'
import type { UrlCitation } from '../../resources/response.ts'
import { placeOf } from './domains.ts'

/** A page or a post that a search found, or one that a script names. */
export interface Source {
  readonly url: string
  readonly title: string
  /** An excerpt. */
  readonly content?: string | undefined
  /** Offsets of the text that cites it. Default: a link to it. */
  readonly span?: readonly [start: number, end: number] | undefined
  /** If true, it shares no word with the question. Default: false. */
  readonly isUnrelated?: boolean | undefined
}

/** Joins pieces of text; a source among them becomes a link to it. */
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

/** Cites sources in a text as it is: where it links to them already, and behind its end where it does not. */
export function cite(text: string, sources: readonly Source[]): CitedText {
  const appended: Array<string | Source> = [text]
  const annotations: UrlCitation[] = []
  for (const source of sources) {
    const span = source.span ?? linkSpan(text, source.url)
    if (span) annotations.push(annotate(source, ...span))
    else appended.push(appended.length === 1 && text === '' ? '' : ' ', source)
  }
  const cited = joinPieces(appended)
  return { text: cited.text, annotations: [...annotations, ...cited.annotations].sort(byStart) }
}

/** `[docs.example.com](https://docs.example.com/start)` */
export function linkTo(url: string): string {
  return `[${placeOf(url).host}](${inBrackets(url)})`
}

/** Brackets and spaces would end a link early, unless the brackets are balanced. */
function inBrackets(url: string): string {
  if (/^(?:[^\s()[\]]|\([^\s()[\]]*\))+$/.test(url)) return url
  return url.replace(/[\s()[\]]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

/** Cites those sources that a text links to as `linkTo` writes it. */
export function citeLinks(text: string, sources: readonly Source[]): CitedText {
  const annotations = sources.flatMap((source) => {
    const link = linkTo(source.url)
    const at = text.indexOf(link)
    return at < 0 ? [] : [annotate(source, at, at + link.length)]
  })
  return { text, annotations: annotations.sort(byStart) }
}

function linkSpan(text: string, url: string): [start: number, end: number] | undefined {
  const target = `](${url})`
  const at = text.indexOf(target)
  const start = at < 0 ? -1 : text.lastIndexOf('[', at)
  return start < 0 || start + 1 === at ? undefined : [start, at + target.length]
}

function annotate({ url, title, content }: Source, start_index: number, end_index: number): UrlCitation {
  return {
    type: 'url_citation',
    url,
    title,
    start_index,
    end_index,
    ...(content !== undefined && { content }),
  }
}

function byStart(left: UrlCitation, right: UrlCitation): number {
  return left.start_index - right.start_index
}
