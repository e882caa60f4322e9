/**
 * The floors of `src`, bottom to top, and what belongs in each room: a folder, or a file at the top of `src`. A room
 * may import what stands on the floors before its own. `house-rules.test.ts` holds the sources to it, and CONTRIBUTING
 * prints it (`npm run generate`).
 */
export const floors: readonly Readonly<Record<string, string>>[] = [
  {
    lib: 'small things without a subject: clock, seed, files, did-you-mean, glob, value paths',
    assumptions: 'every silent place of the specification, named, with our choice',
  },
  { http: 'words of HTTP without state: replies, errors, violations, encoding' },
  { resources: 'the nouns: their schemas, factories, and declarations of collections' },
  { faults: 'the catalogue of faults, and how they act on a reply' },
  { database: 'collections over seeded rows, unique keys, snapshots' },
  { rules: 'scenarios: schema, checks, conditions, progress, scripts, near misses' },
  { journal: 'call records, what is kept and how much, explanations, expectations, HAR' },
  { sandbox: 'one sandbox and all of them, and the options' },
  { operation: '`defineOperation`, the central idea' },
  { model: "what a language model's answer needs: conversation, text, tokens, search, streams" },
  {
    operations:
      'the verbs, one file each; `index.ts` is the only list; `extensions/`, and those of a `document/`',
    dialects: "vendors' names and extra fields, data only",
    tapes: 'recorded exchanges: format, key, redaction, replay',
  },
  { gateway: 'what a gateway is made of; `handle.ts`, the life of one request, and its steps' },
  { adapters: 'where replies become bytes: MSW, fetch, Node, interception' },
  { server: 'what stands before the socket: hosts, origins, limits, log line, metrics' },
  {
    control: 'the control API: declared routes, their document, the client',
    contract: 'record, import, scan, drift',
    deploy: 'templates that the command line prints',
  },
  {
    cli: 'the commands, and the files that people write',
    console: 'the web page',
  },
  { core: 'entry: the gateway as a `fetch`' },
  {
    index: 'entry: with MSW handlers',
    node: 'entry: `intercept`',
    remote: 'entry: `connectGateway`',
    serve: 'entry: `startServer`',
  },
  {
    vitest: 'entry: a `test` for Vitest',
    playwright: 'entry: a `test` for Playwright',
    bin: 'entry: the command line',
  },
]
