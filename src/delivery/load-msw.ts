/**
 * MSW, which is an optional peer: a project without it is told so in one line.
 */

export const msw = await import('msw').catch(missing)

function missing(error: Error & { code?: string }): never {
  // An incomplete installation of MSW itself is another mistake. Yarn says `tried to access msw`.
  const isMissing =
    /MODULE_NOT_FOUND$/.test(error.code ?? '') && /(?:package|module|access) '?msw\b/.test(error.message)
  if (!isMissing) throw error
  const line = "gateway-understudy/msw needs the package 'msw': npm install --save-dev msw"
  throw Object.assign(new Error(line), { stack: `Error: ${line}` })
}
