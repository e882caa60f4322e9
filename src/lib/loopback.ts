/** Returns true for names and addresses of this machine, with or without the brackets of IPv6 in URLs. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}|::1|\[::1\])$/.test(hostname)
}
