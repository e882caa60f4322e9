/**
 * Domain filters of a search: `example.com`, `*.example.com`, either with a path behind it.
 *
 * A bare domain is that host alone. A wildcard covers its subdomains at any depth, and not the bare domain, as in
 * certificates. A path covers itself and what lies below it.
 */

/** Where a page is, as filters see it. */
export interface Place {
  /** In lower case, an international name in its ASCII form. */
  host: string
  /** Begins with a slash. */
  path: string
}

interface DomainFilter {
  /** Only these; where undefined or empty, all. */
  include?: readonly string[] | undefined
  exclude?: readonly string[] | undefined
}

export function placeOf(url: string): Place {
  const { hostname, pathname } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), path: pathname }
}

/** Whether a page at some place passes both lists. */
export function compileFilter({ include = [], exclude = [] }: DomainFilter): (place: Place) => boolean {
  const wanted = include.map(compileEntry)
  const unwanted = exclude.map(compileEntry)
  return (place) =>
    (wanted.length === 0 || wanted.some((covers) => covers(place))) &&
    !unwanted.some((covers) => covers(place))
}

function compileEntry(entry: string): (place: Place) => boolean {
  const name = entry.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const wildcard = name.startsWith('*.')
  const { host, path } = placeOfEntry(wildcard ? name.slice(2) : name)
  const below = path.replace(/\/?\*?$/, '')
  return (place) =>
    (wildcard ? place.host.endsWith(`.${host}`) : host === '*' || place.host === host) &&
    (below === '' || place.path === below || place.path.startsWith(`${below}/`))
}

/** In the form that a page's place has: what is beyond ASCII is written in many ways. */
function placeOfEntry(name: string): Place {
  const url = `http://${name}`
  return URL.canParse(url) ? placeOf(url) : { host: name.toLowerCase(), path: '' }
}
