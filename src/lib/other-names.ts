/** Names that users of other libraries might try on our objects. Each throws an error that names the replacement. */

/** Names that users might try, by the name to use instead, for each kind of object. */
const otherNames = {
  sandbox: {
    'dispose()': ['close', 'destroy'],
    "journal.calls('createResponse')": ['calls', 'requests', 'history'],
    "journal.waitFor('createResponse')": ['waitFor', 'waitForRequest'],
    "reply('Hello'), fail(503) or use({ on, fault })": ['mock', 'once', 'on', 'when', 'respond'],
    'handlers(gateway) of gateway-understudy/msw': ['handlers', 'handlersFor'],
    'resetScenarios()': ['clear', 'clearScenarios', 'resetHandlers'],
    apiKey: ['key', 'token'],
    baseUrl: ['url', 'baseURL'],
  },
  clock: {
    "advance('1h'), which moves the clock forward": ['set', 'setTime', 'setSystemTime', 'tick', 'travel'],
    'read().now': ['now', 'time', 'date'],
  },
  journal: {
    'entries()': ['all', 'list', 'requests', 'filter'],
    "calls('createResponse')": ['count', 'first'],
  },
  records: {
    "list({ name: '…' })": ['all', 'filter', 'find', 'findFirst', 'findMany', 'where'],
    'create({ … })': ['add', 'insert'],
    "delete('…')": ['remove'],
    '(await list()).length': ['count', 'length', 'size'],
  },
} satisfies Record<string, Readonly<Record<string, readonly string[]>>>

/** Defines the names for this kind of object on the target, so that accessing one throws. */
export function refuseOtherNames(target: object, kind: keyof typeof otherNames): void {
  for (const [use, names] of Object.entries(otherNames[kind]))
    for (const name of names) {
      const get = () => {
        const error = new TypeError(`${kind}.${name} does not exist: use ${use}`)
        Error.captureStackTrace?.(error, get)
        throw error
      }
      Object.defineProperty(target, name, { get })
    }
}
