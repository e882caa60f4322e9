/** Throws a one-line error if MSW, an optional peer dependency, is missing. Rethrows any other error. */
export function throwMissingMsw(error: Error & { code?: string }): never {
  // MSW may be installed, but lack one of its own dependencies. Yarn's message is `tried to access msw`.
  const isMissing =
    /MODULE_NOT_FOUND$/.test(error.code ?? '') && /(?:package|module|access) '?msw\b/.test(error.message)
  if (!isMissing) throw error
  const line = "gateway-understudy/msw needs the 'msw' package: npm install --save-dev msw"
  throw Object.assign(new Error(line), { stack: `Error: ${line}` })
}
