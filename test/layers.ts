/**
 * The layers of `src`, bottom to top, with the purpose of each folder (or top-level file). A folder imports
 * only from layers below its own. `house-rules.test.ts` enforces this, and CONTRIBUTING prints it (`npm run
 * generate`).
 */
export const layers: readonly Readonly<Record<string, string>>[] = [
  {
    lib: 'general helpers: clock, random numbers, equality, value paths, suggestions',
    assumptions: 'named choices for behaviour that the specification leaves open',
  },
  { http: 'HTTP without state: replies, errors, headers, secrets, violations, encoding' },
  { resources: 'schemas, factories and declarations of collections' },
  {
    database: 'tables: shared seed rows until the first write, then a collection of @msw/data',
    faults: 'the catalogue of faults by layer, and their application to a reply',
  },
  { scenarios: 'the rule language: read, check, match, progress, scripts, near misses' },
  { journal: 'call records, the store, entries, explanations, expectations, HAR' },
  { sandbox: 'the state of one sandbox, all sandboxes, options' },
  { operation: '`defineOperation`' },
  { model: 'turns a prompt into an answer: text, search, tokens, structured values' },
  { operations: 'the six operations, with the Responses protocol' },
  { gateway: '`gateway.ts`, and `handle.ts` with the steps of a request' },
  { delivery: 'how requests arrive and replies leave: fetch, MSW, Node, interception' },
  { control: 'control operations, their OpenAPI document and client' },
  { server: 'listen, guard, close: host and origin checks, limits, request log' },
  {
    'extras/openrouter': "OpenRouter's names and fields",
    'extras/openapi': 'operations from an OpenAPI document',
    'extras/chat': 'chat completions',
    'extras/messages': "messages in Anthropic's format",
    'extras/models': 'the catalogue of text models, embeddings, rerank',
    'extras/management': 'workspaces, presets, API keys, and the account',
    'extras/recordings': 'record, replay, import, drift',
    'extras/console': 'the web page',
    'extras/exports': 'calls exported as a curl command or as a test',
    'extras/request-rules': 'what a vendor would refuse in a valid request',
    'extras/verdicts': 'what an application did wrong, judged from its calls',
  },
  { extras: '`index.ts`: the list of extras' },
  { setup: 'what spans the core and the extras: options, request bodies, the file reader' },
  { cli: "commands, and users' files" },
  { index: 'entry: the gateway as a `fetch`' },
  {
    msw: 'entry: MSW handlers',
    node: 'entry: `intercept`',
    remote: 'entry: `connectGateway`',
    serve: 'entry: `startServer`',
    verdicts: 'entry: `findings`',
  },
  {
    vitest: 'entry: `test` and `expect` for Vitest',
    playwright: 'entry: `test` and `expect` for Playwright',
    bin: 'entry: the command line',
  },
]
