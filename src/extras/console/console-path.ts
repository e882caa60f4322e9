/**
 * Which requests are for the console, a page at `/__understudy/`.
 */

/** The name of the file asked for; '' where a slash is missing, undefined where it is about something else. */
export function consoleFileOf(url = '/', method = 'GET'): string | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const [, name] = /^\/__understudy(\/[^/?]*)?(?:\?|$)/.exec(url) ?? []
  if (/^\/__understudy(?:\?|$)/.test(url)) return ''
  if (name === '/') return 'index.html'
  return name !== undefined && /^\/console-[\w-]+\.(js|css)$/.test(name) ? name.slice(1) : undefined
}
