const remoteNames = ['env', 'fail', 'hold', 'id', 'journal', 'reply', 'script', 'use']

/** Names that users of other libraries try on our objects. Calling one throws an error that names the replacement. */
const guessedNames = {
  sandbox: {
    'reply(), fail() or use()': ['mock', 'once', 'on', 'when', 'post', 'onMessage'],
    'dispose(), or reset() for a gateway': ['close', 'stop'],
    'intercept(gateway) of gateway-understudy/node, or startServer({ gateway })': ['listen', 'start'],
    "journal.calls('createResponse')": ['requests'],
    'resetScenarios()': ['resetHandlers'],
    'createSandbox() of the gateway': ['openSandbox'],
  },
  server: { 'close()': ['stop'], 'startServer(), which has started it': ['listen'] },
  interception: { 'close()': ['stop'], 'intercept(gateway), which has started it': ['listen'] },
  clock: {
    "advance('1h'), which moves the clock forward": ['set', 'tick'],
    'read(), which returns the time': ['now'],
  },
  journal: { 'entries()': ['all', 'list', 'requests'] },
  records: {
    "list({ name: '…' })": ['filter', 'find', 'findFirst', 'findMany', 'getAll'],
    'create({ … })': ['insert'],
    "delete('…')": ['remove'],
  },
  expectSandbox: {
    'toHaveReceived()': ['toHaveBeenCalled', 'toHaveBeenCalledWith'],
    'toHaveReceivedTimes()': ['toHaveBeenCalledTimes'],
  },
  gateway: { 'handlers(gateway) of gateway-understudy/msw': ['handlers'] },
  'startServer()': { 'await startServer()': ['baseUrl', 'url', 'port', 'gateway', 'close'] },
  'createSandbox()': {
    'await createSandbox()': ['apiKey', 'baseUrl', ...remoteNames],
  },
  'connectGateway()': { 'await connectGateway()': ['createSandbox', ...remoteNames] },
} satisfies Record<string, Readonly<Record<string, readonly string[]>>>

/** @param isProperty If true, the names are read as properties, not called. Default: false. */
export function refuseGuesses<Api extends object>(
  api: Api,
  kind: keyof typeof guessedNames,
  isProperty = false,
) {
  for (const [use, names] of Object.entries(guessedNames[kind]))
    for (const name of names) {
      const refuse = function (this: object) {
        const owner = kind === 'sandbox' && 'createSandbox' in this ? 'gateway' : kind
        throw new TypeError(`${owner}.${name} does not exist: use ${use}`)
      }
      Object.defineProperty(api, name, isProperty ? { get: refuse } : { value: refuse })
    }
  return api
}
