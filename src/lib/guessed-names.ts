/** Names that users of other libraries try on our objects. Calling one throws an error that names the replacement. */
const guessedNames = {
  sandbox: {
    'reply(), fail() or use()': ['mock', 'once', 'on', 'when', 'respond'],
    'dispose(), or reset() for a gateway': ['close', 'destroy'],
    'intercept(gateway) of gateway-understudy/node, or startServer({ gateway })': ['listen', 'start'],
    'handlers(gateway) of gateway-understudy/msw': ['handlers'],
    "journal.calls('createResponse')": ['calls', 'requests', 'history'],
    'resetScenarios()': ['resetHandlers'],
  },
  server: { 'close()': ['stop', 'shutdown'] },
  clock: { "advance('1h'), which moves the clock forward": ['set', 'setSystemTime', 'tick'] },
  journal: { 'entries()': ['all', 'list', 'requests'] },
  records: {
    "list({ name: '…' })": ['filter', 'find', 'findFirst', 'findMany'],
    'create({ … })': ['insert'],
    "delete('…')": ['remove'],
  },
} satisfies Record<string, Readonly<Record<string, readonly string[]>>>

export function refuseGuesses(target: object, kind: keyof typeof guessedNames): void {
  for (const [use, names] of Object.entries(guessedNames[kind]))
    for (const name of names) {
      const value = () => {
        throw new TypeError(`${kind}.${name} does not exist: use ${use}`)
      }
      Object.defineProperty(target, name, { value })
    }
}
