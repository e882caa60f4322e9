/**
 * Headers whose value is a secret: of these nobody sees more than the last four characters. Cookies are the
 * application's own, and no less secret.
 */
const secret = new Set(['authorization', 'cookie', 'x-api-key', 'proxy-authorization'])

/** @param name In lower case. */
export function redactedValue(name: string, value: string): string {
  return secret.has(name) ? `…${value.slice(-4)}` : value
}

export function redacted(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, redactedValue(name, value)]),
  )
}
