/** Adds citations to text. Spec: `url_citation`. Offsets are in UTF-16 code units, with an exclusive end. */
import { placeOf } from './domains.ts'

export interface Source {
  readonly url: string
  readonly title: string
  readonly content?: string | undefined
  /** Offsets of the citing text. Default: the offsets of an existing or added link to the source. */
  readonly span?: readonly [start: number, end: number] | undefined
  /** If true, the source shares no word with the question. */
  readonly isUnrelated?: boolean | undefined
}

export function cite(text: string, sources: readonly Source[]) {
  let cited = text
  const append = (link: string): [start: number, end: number] => {
    cited += cited === '' ? link : ` ${link}`
    return [cited.length - link.length, cited.length]
  }
  const annotations = sources.map(({ url, title, content, span }) => {
    const [start_index, end_index] = span ?? linkSpan(text, url) ?? append(linkTo(url))
    const excerpt = content === undefined ? {} : { content }
    return { type: 'url_citation' as const, url, title, start_index, end_index, ...excerpt }
  })
  annotations.sort((left, right) => left.start_index - right.start_index)
  return { text: cited, annotations }
}

export function linkTo(url: string): string {
  return `[${placeOf(url).host}](${inBrackets(url)})`
}

/** Escapes spaces and brackets in a URL, except balanced parentheses, which do not end a link. */
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
