/** Domain filters such as `*.example.com/docs`. A wildcard matches subdomains at any depth, but not the bare domain. */

export interface Place {
  /** Lowercase host. Internationalised domain names are in ASCII form. */
  host: string
  path: string
}

export function placeOf(url: string): Place {
  const { hostname, pathname } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), path: pathname }
}

/** An empty list of included domains allows all. */
export function compileFilter({ include, exclude }: Record<'include' | 'exclude', readonly string[]>) {
  const [included, excluded] = [include.map(compileEntry), exclude.map(compileEntry)]
  return (place: Place) =>
    (included.length === 0 || included.some((covers) => covers(place))) &&
    !excluded.some((covers) => covers(place))
}

function compileEntry(entry: string): (place: Place) => boolean {
  const name = entry.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  const isWildcard = name.startsWith('*.')
  const bare = isWildcard ? name.slice(2) : name
  const url = `http://${bare}`
  // Normalises a name in the same way as page hosts, because non-ASCII names have several spellings.
  const { host, path } = URL.canParse(url) ? placeOf(url) : { host: bare.toLowerCase(), path: '' }
  const below = path.replace(/\/?\*?$/, '')
  return (place) =>
    (isWildcard ? place.host.endsWith(`.${host}`) : host === '*' || place.host === host) &&
    (below === '' || place.path === below || place.path.startsWith(`${below}/`))
}
