/** Names that users of other libraries try on our objects. Calling one throws an error that names the replacement. */
const guessedNames = {
  sandbox: {
    'reply(), fail() or use()': ['mock', 'once', 'on', 'when', 'post', 'stubFor'],
    'dispose(), or reset() for a gateway': ['close', 'stop', 'destroy'],
    'intercept(gateway) of gateway-understudy/node, or startServer({ gateway })': ['listen', 'start'],
    'handlers(gateway) of gateway-understudy/msw': ['handlers'],
    "journal.calls('createResponse')": ['calls', 'requests'],
    'resetScenarios()': ['resetHandlers'],
  },
  server: {
    'close()': ['stop', 'dispose', 'destroy'],
    'gateway.reset()': ['reset', 'restore'],
    'startServer(), which has started it': ['listen', 'start'],
  },
  interception: {
    'close()': ['stop', 'dispose', 'restore'],
    'resetHandlers(), or gateway.reset()': ['reset'],
    'intercept(gateway), which has started it': ['listen', 'start'],
  },
  clock: {
    "advance('1h'), which moves the clock forward": ['set', 'tick'],
    'read(), which returns the time': ['now'],
  },
  journal: { 'entries()': ['all', 'list', 'requests'] },
  records: {
    "list({ name: '…' })": ['filter', 'find', 'findMany'],
    'create({ … })': ['insert'],
    "delete('…')": ['remove'],
  },
} satisfies Record<string, Readonly<Record<string, readonly string[]>>>

export function refuseGuesses(target: object, kind: keyof typeof guessedNames): void {
  for (const [use, names] of Object.entries(guessedNames[kind]))
    for (const name of names) {
      const value = function (this: object) {
        const owner = kind === 'sandbox' && 'createSandbox' in this ? 'gateway' : kind
        throw new TypeError(`${owner}.${name} does not exist: use ${use}`)
      }
      Object.defineProperty(target, name, { value })
    }
}
