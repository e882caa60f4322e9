/**
 * MSW, which is an optional peer: a project without it is told so in one line.
 */

export const msw = await import('msw').catch(missing)

function missing(error: Error & { code?: string }): never {
  // An incomplete installation of MSW itself is another mistake.
  if (!/MODULE_NOT_FOUND$/.test(error.code ?? '') || !/'msw'/.test(error.message)) throw error
  const line = "gateway-understudy/msw needs the package 'msw': npm install --save-dev msw"
  throw Object.assign(new Error(line), { stack: `Error: ${line}` })
}
