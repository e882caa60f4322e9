/**
 * The control operations' routes by id. The remote client uses this table instead of loading schemas. Generated from
 * the operations by `npm run generate`.
 */
export const routePaths = {
  getHealth: 'GET /health',
  listSandboxes: 'GET /sandboxes',
  createSandbox: 'POST /sandboxes',
  putSandbox: 'PUT /sandboxes/{sandbox}',
  getSandbox: 'GET /sandboxes/{sandbox}',
  deleteSandbox: 'DELETE /sandboxes/{sandbox}',
  resetSandbox: 'POST /sandboxes/{sandbox}/reset',
  createSnapshot: 'POST /sandboxes/{sandbox}/snapshots',
  restoreSnapshot: 'POST /sandboxes/{sandbox}/restore',
  listBundledScenarios: 'GET /scenarios',
  getBundledScenario: 'GET /scenarios/{name}',
  listScenarios: 'GET /sandboxes/{sandbox}/scenarios',
  useScenario: 'POST /sandboxes/{sandbox}/scenarios',
  putScenario: 'PUT /sandboxes/{sandbox}/scenarios/{name}',
  deleteScenario: 'DELETE /sandboxes/{sandbox}/scenarios/{name}',
  resetScenarios: 'DELETE /sandboxes/{sandbox}/scenarios',
  getBundledScenarioText: 'GET /scenarios/{name}/yaml',
  checkScenario: 'POST /scenario-checks',
  dryRunScenario: 'POST /sandboxes/{sandbox}/dry-runs',
  listActiveScenarios: 'GET /sandboxes/{sandbox}/active-scenarios',
  listUnusedRules: 'GET /sandboxes/{sandbox}/unused-rules',
  readUsage: 'GET /sandboxes/{sandbox}/usage',
  listScripts: 'GET /sandboxes/{sandbox}/scripts',
  listJournal: 'GET /sandboxes/{sandbox}/journal',
  listTrace: 'GET /sandboxes/{sandbox}/journal/traces/{trace}',
  queryJournal: 'POST /sandboxes/{sandbox}/journal/query',
  waitForCalls: 'POST /sandboxes/{sandbox}/journal/wait',
  listUnmatched: 'GET /sandboxes/{sandbox}/journal/unmatched',
  listNearMisses: 'GET /sandboxes/{sandbox}/journal/near-misses',
  explainCall: 'GET /sandboxes/{sandbox}/journal/entries/{entry}/explanation',
  exportJournal: 'GET /sandboxes/{sandbox}/journal.har',
  clearJournal: 'DELETE /sandboxes/{sandbox}/journal',
  followEvents: 'GET /events',
  listCalls: 'GET /sandboxes/{sandbox}/calls',
  getCall: 'GET /sandboxes/{sandbox}/calls/{entry}',
  resendCall: 'POST /sandboxes/{sandbox}/calls/{entry}/resend',
  exportCall: 'GET /sandboxes/{sandbox}/calls/{entry}/export',
  listCollections: 'GET /sandboxes/{sandbox}/collections',
  listChanges: 'GET /sandboxes/{sandbox}/changes',
  listRecords: 'GET /sandboxes/{sandbox}/database/{collection}',
  createRecord: 'POST /sandboxes/{sandbox}/database/{collection}',
  getRecord: 'GET /sandboxes/{sandbox}/database/{collection}/{key}',
  updateRecord: 'PATCH /sandboxes/{sandbox}/database/{collection}/{key}',
  deleteRecord: 'DELETE /sandboxes/{sandbox}/database/{collection}/{key}',
  readClock: 'GET /sandboxes/{sandbox}/clock',
  advanceClock: 'POST /sandboxes/{sandbox}/clock/advance',
} as const

// Methods without arguments and their operations.
export const sandboxMethods = {
  reset: 'resetSandbox',
  snapshot: 'createSnapshot',
  scenarioNames: 'listScenarios',
  resetScenarios: 'resetScenarios',
  activeScenarios: 'listActiveScenarios',
  unusedRules: 'listUnusedRules',
  usage: 'readUsage',
  scripts: 'listScripts',
  collections: 'listCollections',
  changes: 'listChanges',
} as const

export const journalMethods = {
  entries: 'listJournal',
  unmatched: 'listUnmatched',
  nearMisses: 'listNearMisses',
  clear: 'clearJournal',
} as const

export const clockMethods = {
  read: 'readClock',
} as const
